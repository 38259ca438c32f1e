--[[
  Applies the accepted results of one partition's [from, to) to a tag by the rule of its definition, which may lower a
  score; appends the changes to its stream and moves `next`: all of it, or nothing. By the rule `sum`, copies are not
  merged, nor are results too old for the tag to know their copies: those mark their player.

  KEYS[1] meta      KEYS[2] changes
  ARGV[1] msgpack [definition, source, partition text, from, to, fresh epoch, kept changes, ms to remember results,
                   ms after birth without a memory, mark id, first time, width, results]
          results is flat, `width` values each: player id, packed score, offset above from, broker time above first time
          in ms; the score is false where the player is only to be marked; and where the width is 6, as the rule `sum` needs it, hash as decimal text, achievedAt above first time
          mark id begins the ids of this call's marks, so it must be fresh
  Reply   [DONE, next, outcomes, readable]   outcomes: one digit per result, see outcomes.lua; APPLIED: the entry
                                             changed, NO_RECORD: it did not;
                                             readable: 1, or 0 while a fill is not finished
          [BEHIND, next] | [NO_BOARD] | [OTHER_DEFINITION]
  Codes   reply-codes.lua; an error reply (BADARG) means a caller's bug and that nothing was written
]]
--@include reply-codes
--@include outcomes
--@include list-key
--@include tag-keys
--@include whole-number
--@include argument-checks
--@include merge-scores
--@include server-clock
--@include replication-id
--@include append-changes
--@include seen
--@include marks
local meta, changes = KEYS[1], KEYS[2]
local request = cmsgpack.unpack(ARGV[1])
local definition, source, partition, from, to = request[1], request[2], request[3], request[4], request[5]
local freshEpoch, keptChanges, dedupMs, birthGraceMs = request[6], request[7], request[8], request[9]
local markId, firstAt, width, results = request[10], request[11], request[12], request[13]
local call = redis.call

local position = 'next:' .. source .. ':' .. partition
local state = call('HMGET', meta, 'definition', 'generation', 'fill', 'epoch', 'seq', 'replid', position,
  'rule', 'span', 'max', 'low', 'birth')
if not state[1] then return { NO_BOARD } end
local merge = scoreMerge(state[8], state[9], state[10], state[11])
-- A meta without a rule was begun by a version that knew only one.
if state[1] ~= definition or not merge then return { OTHER_DEFINITION } end
local next = tonumber(state[7] or '0')
if from > next then return { BEHIND, wholeNumber(next) } end

local isSum = merge.rule == 'sum'
local function badArgument(what, i)
  return redis.error_reply('BADARG ' .. what .. ' of result ' .. (i - 1) / width + 1)
end
for i = 1, #results, width do
  local offset = results[i + 2]
  if not isPlayerId(results[i]) then return badArgument('player id', i) end
  local isScored = results[i + 1] ~= false
  if isScored and not isScore(results[i + 1]) then return badArgument('score', i) end
  if type(offset) ~= 'number' or offset < 0 or from + offset >= to then return badArgument('offset', i) end
  if isSum and isScored and (width ~= 6 or not isHash(results[i + 4]) or not isWholeNumber(results[i + 5])) then
    return badArgument('identity', i)
  end
end

-- By index of the result: MARKED, LATE or DUPLICATE where it is not to be merged. Read before the first write.
local withheld, remembered = {}, newResults()
local earliest = isSum and math.max(serverClock() - dedupMs, tonumber(state[12]) + birthGraceMs)
for i = 1, #results, width do
  if from + results[i + 2] >= next then
    if results[i + 1] == false then
      withheld[i] = MARKED
    elseif isSum then
      withheld[i] = judgeCopy(meta, earliest, remembered, results[i + 4], firstAt + results[i + 5])
    end
  end
end

local listName = 's'
local list = state[2] and listKey(meta, state[2], listName)
local fill = state[3] and listKey(meta, state[3], listName)
local applied = {}

-- Merges into the list that is read, and notes the change; true where the entry changed.
local function mergeIntoList(player, incoming, at)
  local before = call('ZSCORE', list, player)
  local scoreBefore = before and tonumber(before)
  local score = mergeScores(merge, scoreBefore, incoming)
  if score == scoreBefore then return false end
  local rankBefore = before and call('ZREVRANK', list, player) + 1
  call('ZADD', list, wholeNumber(score), player)
  local rank = call('ZREVRANK', list, player) + 1
  local n = #applied
  applied[n + 1], applied[n + 2], applied[n + 3], applied[n + 4] = listName, player, scoreBefore, rankBefore
  applied[n + 5], applied[n + 6], applied[n + 7] = score, rank, at
  return true
end

-- Merges into the fill; true where its entry changed. `best` takes one call, ZADD compares for it.
local function mergeIntoFill(player, incoming)
  if merge.rule == 'best' then return call('ZADD', fill, 'GT', 'CH', wholeNumber(incoming), player) == 1 end
  local stored = call('ZSCORE', fill, player)
  local current = stored and tonumber(stored)
  local score = mergeScores(merge, current, incoming)
  if score == current then return false end
  call('ZADD', fill, wholeNumber(score), player)
  return true
end

local marks, aside = tagKey(meta, 'marks'), tagKey(meta, 'aside')
local isMarked, isMarkedNow, markedNow = marksBefore(marks), {}, {}
local outcomes = {}
for i = 1, #results, width do
  local player, incoming = results[i], results[i + 1]
  local outcome = withheld[i]
  if from + results[i + 2] < next then
    outcome = SKIPPED
  elseif not outcome then
    outcome = NO_RECORD
    -- What is read decides the outcome, and the fill where there is nothing to read yet.
    if list and mergeIntoList(player, incoming, firstAt + results[i + 3]) then outcome = APPLIED end
    if fill and mergeIntoFill(player, incoming) and not list then outcome = APPLIED end
    if isMarked and isMarked(player) and not isMarkedNow[player] then mergeAside(aside, merge, player, incoming) end
  elseif outcome ~= DUPLICATE and not isMarkedNow[player] then
    isMarkedNow[player] = true
    markedNow[#markedNow + 1] = player
  end
  outcomes[#outcomes + 1] = outcome
end

local updates = appendChanges(changes, tonumber(state[4]), tonumber(state[5]), state[6], freshEpoch, keptChanges, applied)
if to > next then
  next = to
  updates[#updates + 1] = position
  updates[#updates + 1] = wholeNumber(next)
end
if #updates > 0 then call('HSET', meta, unpack(updates)) end
-- Their marks hold the positions after this call: truth has these results once it has reached them.
if #markedNow > 0 then markPlayers(meta, marks, aside, markId, markedNow) end
remember(remembered, dedupMs)
return { DONE, wholeNumber(next), table.concat(outcomes), list and 1 or 0 }
