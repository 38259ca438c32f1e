--[[
  Starts filling a tag that has no finished board; replaces an unfinished fill.

  KEYS[1] meta      KEYS[2] changes
  ARGV[1] msgpack [definition, job id, fresh epoch, positions]   positions is flat: source, partition text, next, ...
  Reply   [DONE] | [EXISTS]
]]
--@include reply-codes
--@include list-key
--@include replication-id
--@include whole-number
local meta, changes = KEYS[1], KEYS[2]
local request = cmsgpack.unpack(ARGV[1])
local definition, job, freshEpoch, positions = request[1], request[2], request[3], request[4]

local state = redis.call('HMGET', meta, 'generation', 'fill')
if state[1] then return { EXISTS } end
local generation = (tonumber(state[2] or '0')) + 1
if state[2] then redis.call('UNLINK', listKey(meta, state[2], 's')) end
-- What a lost meta left behind must not shine through the new list.
redis.call('UNLINK', listKey(meta, generation, 's'), changes)
redis.call('DEL', meta)
redis.call('HSET', meta, 'definition', definition, 'fill', generation, 'job', job, 'chunks', 0, 'seq', 0,
  'epoch', wholeNumber(freshEpoch), 'replid', replicationId())
for i = 1, #positions, 3 do
  redis.call('HSET', meta, 'next:' .. positions[i] .. ':' .. positions[i + 1], wholeNumber(positions[i + 2]))
end
return { DONE }
