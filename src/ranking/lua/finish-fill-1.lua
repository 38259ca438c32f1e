--[[
  Shows the filled generation, under a new epoch, where all that was sent has arrived.

  KEYS[1] meta
  ARGV[1] msgpack [job id, chunk count, entry count, checksum, fresh epoch]
  Reply   [DONE] | [SUPERSEDED] | [WRONG_CHUNK, expected index] | [WRONG_SUM, entry count text, checksum text]
]]
--@include reply-codes
--@include tag-keys
--@include replication-id
--@include whole-number
local meta = KEYS[1]
local request = cmsgpack.unpack(ARGV[1])
local job, chunks, entries, checksum, freshEpoch = request[1], request[2], request[3], request[4], request[5]

local state = redis.call('HMGET', meta, 'job', 'fill', 'chunks', 'entries', 'checksum', 'definition', 'shownJob')
-- A repeat of a finish that was done already must not make a second history.
if state[7] == job then return { DONE } end
if state[1] ~= job then return { SUPERSEDED } end
if tonumber(state[3]) ~= chunks then return { WRONG_CHUNK, tonumber(state[3]) } end
if tonumber(state[4]) ~= entries or tonumber(state[5]) ~= checksum then return { WRONG_SUM, state[4], state[5] } end
redis.call('HSET', meta, 'generation', state[2], 'shown', state[6], 'shownJob', job, 'epoch', wholeNumber(freshEpoch),
  'replid', replicationId())
redis.call('HDEL', meta, 'fill', 'job', 'chunks', 'entries', 'checksum', 'stale')
redis.call('UNLINK', tagKey(meta, 'settled'))
return { DONE }
