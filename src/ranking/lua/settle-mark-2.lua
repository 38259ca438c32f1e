--[[
  Writes a marked player's entry whole: what truth came to, merged with what came aside since his mark; takes the mark.

  KEYS[1] meta      KEYS[2] changes
  ARGV[1] msgpack [player id, mark id, packed score or nil, fresh epoch, kept changes]
          the score is truth's; nil where he has no row there
  Reply   [DONE] | [SUPERSEDED]
  Codes   reply-codes.lua; an error reply (BADARG) means a caller's bug and that nothing was written
]]
--@include reply-codes
--@include list-key
--@include tag-keys
--@include whole-number
--@include argument-checks
--@include merge-scores
--@include server-clock
--@include replication-id
--@include append-changes
local meta, changes = KEYS[1], KEYS[2]
local request = cmsgpack.unpack(ARGV[1])
local player, markId, folded, freshEpoch, keptChanges = request[1], request[2], request[3], request[4], request[5]
local call = redis.call
local marks, aside = tagKey(meta, 'marks'), tagKey(meta, 'aside')

local state = call('HMGET', meta, 'definition', 'generation', 'fill', 'epoch', 'seq', 'replid',
  'rule', 'span', 'max', 'low')
local mark = state[1] and call('HGET', marks, player)
if not mark or cjson.decode(mark)[1] ~= markId then return { SUPERSEDED } end
if folded ~= nil and not isScore(folded) then return redis.error_reply('BADARG score') end

local since = call('HGET', aside, player)
local entry = folded
if since then entry = mergeScores(scoreMerge(state[7], state[8], state[9], state[10]), folded, tonumber(since)) end

-- Without an entry the player has no row.
local function put(list)
  if entry then call('ZADD', list, wholeNumber(entry), player) else call('ZREM', list, player) end
end

local applied, listName = {}, 's'
if state[2] then
  local list = listKey(meta, state[2], listName)
  local before = call('ZSCORE', list, player)
  local scoreBefore = before and tonumber(before)
  if scoreBefore ~= (entry or false) then
    local rankBefore = before and call('ZREVRANK', list, player) + 1
    put(list)
    local rank = entry and call('ZREVRANK', list, player) + 1
    applied = { listName, player, scoreBefore, rankBefore, entry or false, rank or false, serverClock() }
  end
end
if state[3] then
  put(listKey(meta, state[3], listName))
  -- His entry is whole: what truth still brings of it must not come on top.
  call('SADD', tagKey(meta, 'settled'), player)
end
call('HDEL', marks, player)
call('HDEL', aside, player)
local updates = appendChanges(changes, tonumber(state[4]), tonumber(state[5]), state[6], freshEpoch, keptChanges, applied)
if #updates > 0 then call('HSET', meta, unpack(updates)) end
return { DONE }
