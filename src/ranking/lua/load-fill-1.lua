--[[
  Merges one chunk of truth's entries into the fill, by the rule: live results may stand there already. Leaves out players
  who were settled during the fill: their entry was written whole.

  KEYS[1] meta
  ARGV[1] msgpack [job id, chunk index, entries]   entries is flat, as ZADD takes it: packed score text, player id, ...
  Reply   [DONE] | [SUPERSEDED] | [WRONG_CHUNK, expected index]
]]
--@include reply-codes
--@include list-key
--@include tag-keys
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

-- The players of the flat entries.
local function playersOf(flat)
  local players = {}
  for i = 2, #flat, 2 do players[i / 2] = flat[i] end
  return players
end

-- The entries of those who are not in the set.
local function withoutSettled(settled)
  local isSettled, left = redis.call('SMISMEMBER', settled, unpack(playersOf(entries))), {}
  for i, settledFlag in ipairs(isSettled) do
    if settledFlag == 0 then
      left[#left + 1] = entries[2 * i - 1]
      left[#left + 1] = entries[2 * i]
    end
  end
  return left
end

-- Replaces each score by what it makes of the fill's entry. A player who is in the chunk twice merges twice.
local function mergeEntries(fill, merge)
  local players, merged = playersOf(entries), {}
  local stored = redis.call('ZMSCORE', fill, unpack(players))
  for i, player in ipairs(players) do
    local current = merged[player] or stored[i] and tonumber(stored[i])
    merged[player] = mergeScores(merge, current, tonumber(entries[2 * i - 1]))
    entries[2 * i - 1] = wholeNumber(merged[player])
  end
end

local settled = tagKey(meta, 'settled')
if #entries > 0 and redis.call('EXISTS', settled) == 1 then entries = withoutSettled(settled) end
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
