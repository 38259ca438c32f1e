--[[
  Applies the accepted results of one partition's [from, to) to a tag by the rule of its definition, which may lower a
  score; appends the changes to its stream and moves `next`: all of it, or nothing.

  KEYS[1] meta      KEYS[2] changes
  ARGV[1] msgpack [definition, source, partition text, from, to, fresh epoch, kept changes, first time, results]
          results is flat: player id, packed score, offset above from, broker time above first time in ms, ...
  Reply   [DONE, next, outcomes, readable]   outcomes: one character per result, 1 applied (the entry
                                             changed), 2 no-record (it did not), 0 skipped;
                                             readable: 1, or 0 while a fill is not finished
          [BEHIND, next] | [NO_BOARD] | [OTHER_DEFINITION]
  Codes   reply-codes.lua; an error reply (BADARG) means a caller's bug and that nothing was written
]]
--@include reply-codes
--@include list-key
--@include merge-scores
--@include replication-id
--@include whole-number
local meta, changes = KEYS[1], KEYS[2]
local request = cmsgpack.unpack(ARGV[1])
local definition, source, partition, from, to = request[1], request[2], request[3], request[4], request[5]
local freshEpoch, keptChanges, firstAt, results = request[6], request[7], request[8], request[9]
local call = redis.call
local MAX_SCORE = 9007199254740991

local position = 'next:' .. source .. ':' .. partition
local state = call('HMGET', meta, 'definition', 'generation', 'fill', 'epoch', 'seq', 'replid', position,
  'rule', 'span', 'max', 'low')
if not state[1] then return { NO_BOARD } end
local merge = scoreMerge(state[8], state[9], state[10], state[11])
-- A meta without a rule was begun by a version that knew only one.
if state[1] ~= definition or not merge then return { OTHER_DEFINITION } end
local next = tonumber(state[7] or '0')
if from > next then return { BEHIND, wholeNumber(next) } end

-- Validate everything before the first write: a script is not rolled back.
for i = 1, #results, 4 do
  local player, score, offset = results[i], results[i + 1], results[i + 2]
  if type(player) ~= 'string' or #player == 0 or #player > 64 then
    return redis.error_reply('BADARG player id of result ' .. (i + 3) / 4)
  end
  if type(score) ~= 'number' or score < 0 or score > MAX_SCORE or score % 1 ~= 0 then
    return redis.error_reply('BADARG score of result ' .. (i + 3) / 4)
  end
  if type(offset) ~= 'number' or offset < 0 or from + offset >= to then
    return redis.error_reply('BADARG offset of result ' .. (i + 3) / 4)
  end
end

-- Merges into the fill; true where its entry changed. `best` takes one call, ZADD compares for it.
local function mergeIntoFill(fill, player, incoming)
  if merge.rule == 'best' then return call('ZADD', fill, 'GT', 'CH', wholeNumber(incoming), player) == 1 end
  local stored = call('ZSCORE', fill, player)
  local current = stored and tonumber(stored)
  local score = mergeScores(merge, current, incoming)
  if score == current then return false end
  call('ZADD', fill, wholeNumber(score), player)
  return true
end

local listName = 's'
local list = state[2] and listKey(meta, state[2], listName)
local fill = state[3] and listKey(meta, state[3], listName)
local outcomes, applied = {}, {}
for i = 1, #results, 4 do
  local player, incoming, offset, at = results[i], results[i + 1], from + results[i + 2], firstAt + results[i + 3]
  local outcome = '0'
  if offset >= next then
    outcome = '2'
    if list then
      local before = call('ZSCORE', list, player)
      local scoreBefore = before and tonumber(before)
      local score = mergeScores(merge, scoreBefore, incoming)
      if score ~= scoreBefore then
        local rankBefore = before and call('ZREVRANK', list, player) + 1
        call('ZADD', list, wholeNumber(score), player)
        local rank = call('ZREVRANK', list, player) + 1
        local n = #applied
        applied[n + 1], applied[n + 2], applied[n + 3], applied[n + 4] = listName, player, scoreBefore, rankBefore
        applied[n + 5], applied[n + 6], applied[n + 7] = score, rank, at
        outcome = '1'
      end
    end
    if fill and mergeIntoFill(fill, player, incoming) and not list then outcome = '1' end
  end
  outcomes[#outcomes + 1] = outcome
end

-- A new server is a new history: a promoted replica may lack the last entries and would reuse their seqs.
local updates = {}
local epoch, seq, server = tonumber(state[4]), tonumber(state[5]), replicationId()
if server ~= state[6] then
  epoch = freshEpoch
  updates = { 'epoch', wholeNumber(epoch), 'replid', server }
end

local count = #applied / 7
if count > 0 then
  local fromSeq = seq + 1
  seq = seq + count
  local id, oldest = wholeNumber(seq) .. '-0', wholeNumber(math.max(seq - keptChanges, 0))
  local set = cmsgpack.pack({ epoch, fromSeq, seq, applied })
  if redis.pcall('XADD', changes, 'MINID', '~', oldest, id, 'c', set).err then
    -- Another type or a later id stands there: somebody's hand. Applied changes must not stay untold, so start anew.
    epoch = freshEpoch
    call('DEL', changes)
    call('XADD', changes, id, 'c', cmsgpack.pack({ epoch, fromSeq, seq, applied }))
    updates[#updates + 1] = 'epoch'
    updates[#updates + 1] = wholeNumber(epoch)
  end
  updates[#updates + 1] = 'seq'
  updates[#updates + 1] = wholeNumber(seq)
end
if to > next then
  next = to
  updates[#updates + 1] = position
  updates[#updates + 1] = wholeNumber(next)
end
if #updates > 0 then call('HSET', meta, unpack(updates)) end
return { DONE, wholeNumber(next), table.concat(outcomes), list and 1 or 0 }
