--[[
  Merges one chunk of truth's entries into the fill, by the rule: live results may stand there already. Leaves out players
  who are hidden, and who were settled during the fill: their entries were written whole. All that came is counted.

  KEYS[1] meta
  ARGV[1] msgpack [job id, chunk index, lists]   lists is flat: name, kept until in ms or 0, entries, ...
          entries is flat, as ZADD takes it: packed score text, player id, ...
  Reply   [DONE] | [SUPERSEDED] | [WRONG_CHUNK, expected index]
]]
--@include reply-codes
--@include list-key
--@include tag-keys
--@include merge-scores
--@include whole-number
--@include server-clock
--@include list-registry
--@include chunk-entries
local meta = KEYS[1]
local request = cmsgpack.unpack(ARGV[1])
local job, index, lists = request[1], request[2], request[3]

local state = redis.call('HMGET', meta, 'job', 'fill', 'chunks', 'rule', 'span', 'max', 'low', 'entries', 'checksum')
if state[1] ~= job then return { SUPERSEDED } end
local expected = tonumber(state[3])
if index == expected - 1 then return { DONE } end
if index ~= expected then return { WRONG_CHUNK, expected } end

local fill, merge, now = state[2], scoreMerge(state[4], state[5], state[6], state[7]), serverClock()
local count, checksum = tonumber(state[8] or '0'), tonumber(state[9] or '0')
for i = 1, #lists, 3 do
  local name, keptUntil, entries = lists[i], lists[i + 1], lists[i + 2]
  count, checksum = count + #entries / 2, addToChecksum(checksum, entries)
  entries = withoutPlayers(withoutPlayers(entries, tagKey(meta, 'settled')), tagKey(meta, 'hidden'))
  if #entries > 0 and isKept(keptUntil, now) then
    local key = listKey(meta, fill, name)
    local isNew = redis.call('EXISTS', key) == 0
    mergeEntries(key, merge, entries)
    if isNew then registerList(meta, fill, name, keptUntil) end
  end
end
redis.call('HSET', meta, 'chunks', expected + 1, 'entries', wholeNumber(count), 'checksum', wholeNumber(checksum))
return { DONE }
