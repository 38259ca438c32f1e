--[[
  Starts filling a tag that has no finished board; replaces an unfinished fill.

  KEYS[1] meta      KEYS[2] changes
  ARGV[1] msgpack [definition, job id, fresh epoch, positions, merge]
          positions is flat: source, partition text, next, ...   merge: rule, time span, max total, whether low is first
  Reply   [DONE] | [EXISTS]
]]
--@include reply-codes
--@include list-key
--@include tag-keys
--@include replication-id
--@include server-clock
--@include whole-number
local meta, changes = KEYS[1], KEYS[2]
local request = cmsgpack.unpack(ARGV[1])
local definition, job, freshEpoch, positions, merge = request[1], request[2], request[3], request[4], request[5]

local state = redis.call('HMGET', meta, 'generation', 'last')
if state[1] then return { EXISTS } end
local generation = tonumber(state[2] or '0') + 1
-- What a lost meta left behind must not shine through the new list, nor stay for ever under an older generation.
for old = 1, generation do redis.call('UNLINK', listKey(meta, old, 's')) end
redis.call('UNLINK', changes, tagKey(meta, 'marks'), tagKey(meta, 'aside'), tagKey(meta, 'settled'))
redis.call('DEL', meta)
redis.call('HSET', meta, 'definition', definition, 'fill', generation, 'last', generation, 'job', job, 'chunks', 0, 'seq', 0,
  'epoch', wholeNumber(freshEpoch), 'replid', replicationId(), 'birth', wholeNumber(serverClock()),
  'rule', merge[1], 'span', wholeNumber(merge[2]), 'max', wholeNumber(merge[3]), 'low', merge[4] and 1 or 0)
for i = 1, #positions, 3 do
  redis.call('HSET', meta, 'next:' .. positions[i] .. ':' .. positions[i + 1], wholeNumber(positions[i + 2]))
end
return { DONE }
