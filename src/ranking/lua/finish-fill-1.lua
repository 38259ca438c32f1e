--[[
  Makes the filled generation the one that is read, under a new epoch.

  KEYS[1] meta
  ARGV[1] msgpack [job id, chunk count, fresh epoch]
  Reply   [DONE] | [SUPERSEDED] | [WRONG_CHUNK, expected index]
]]
--@include reply-codes
--@include tag-keys
--@include replication-id
--@include whole-number
local meta = KEYS[1]
local request = cmsgpack.unpack(ARGV[1])
local job, chunks, freshEpoch = request[1], request[2], request[3]

local state = redis.call('HMGET', meta, 'job', 'fill', 'chunks')
if state[1] ~= job then return { SUPERSEDED } end
if tonumber(state[3]) ~= chunks then return { WRONG_CHUNK, tonumber(state[3]) } end
redis.call('HSET', meta, 'generation', state[2], 'epoch', wholeNumber(freshEpoch), 'replid', replicationId())
redis.call('HDEL', meta, 'fill', 'job', 'chunks')
redis.call('UNLINK', tagKey(meta, 'settled'))
return { DONE }
