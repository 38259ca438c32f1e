--[[
  Merges one chunk of truth's entries into the fill, by the rule: live results may be better already.

  KEYS[1] meta
  ARGV[1] msgpack [job id, chunk index, entries]   entries is flat, as ZADD takes it: packed score text, player id, ...
  Reply   [DONE] | [SUPERSEDED] | [WRONG_CHUNK, expected index]
]]
--@include reply-codes
--@include list-key
local meta = KEYS[1]
local request = cmsgpack.unpack(ARGV[1])
local job, index, entries = request[1], request[2], request[3]

local state = redis.call('HMGET', meta, 'job', 'fill', 'chunks')
if state[1] ~= job then return { SUPERSEDED } end
local expected = tonumber(state[3])
if index == expected - 1 then return { DONE } end
if index ~= expected then return { WRONG_CHUNK, expected } end
if #entries > 0 then redis.call('ZADD', listKey(meta, state[2], 's'), 'GT', unpack(entries)) end
redis.call('HSET', meta, 'chunks', expected + 1)
return { DONE }
