--[[
  Merges one chunk of truth's entries into the fill, by the rule: live results may stand there already.

  KEYS[1] meta
  ARGV[1] msgpack [job id, chunk index, entries]   entries is flat, as ZADD takes it: packed score text, player id, ...
  Reply   [DONE] | [SUPERSEDED] | [WRONG_CHUNK, expected index]
]]
--@include reply-codes
--@include list-key
--@include merge-scores
--@include whole-number
local meta = KEYS[1]
local request = cmsgpack.unpack(ARGV[1])
local job, index, entries = request[1], request[2], request[3]

local state = redis.call('HMGET', meta, 'job', 'fill', 'chunks', 'rule', 'span', 'max', 'low')
if state[1] ~= job then return { SUPERSEDED } end
local expected = tonumber(state[3])
if index == expected - 1 then return { DONE } end
if index ~= expected then return { WRONG_CHUNK, expected } end

-- Replaces each score by what it makes of the fill's entry. A player who is in the chunk twice merges twice.
local function mergeEntries(fill, merge)
  local players, merged = {}, {}
  for i = 2, #entries, 2 do players[i / 2] = entries[i] end
  local stored = redis.call('ZMSCORE', fill, unpack(players))
  for i, player in ipairs(players) do
    local current = merged[player] or stored[i] and tonumber(stored[i])
    merged[player] = mergeScores(merge, current, tonumber(entries[2 * i - 1]))
    entries[2 * i - 1] = wholeNumber(merged[player])
  end
end

if #entries > 0 then
  local fill, merge = listKey(meta, state[2], 's'), scoreMerge(state[4], state[5], state[6], state[7])
  -- For `best`, ZADD compares by itself; every other rule has to read first.
  if merge.rule == 'best' then
    redis.call('ZADD', fill, 'GT', unpack(entries))
  else
    mergeEntries(fill, merge)
    redis.call('ZADD', fill, unpack(entries))
  end
end
redis.call('HSET', meta, 'chunks', expected + 1)
return { DONE }
