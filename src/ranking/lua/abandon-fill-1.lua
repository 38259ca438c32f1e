--[[
  Gives a fill up where it is still under way: submits write it no more, and a sweep drops it. Without a board of its
  definition nothing is left to be written.

  KEYS[1] meta
  ARGV[1] msgpack [job id]
  Reply   [DONE] | [SUPERSEDED]
]]
--@include reply-codes
--@include tag-keys
--@include shown-board
local meta, job = KEYS[1], cmsgpack.unpack(ARGV[1])[1]
local state = redis.call('HMGET', meta, 'job', 'generation', 'stale')
if state[1] ~= job then return { SUPERSEDED } end
if state[2] and not state[3] then
  redis.call('HDEL', meta, 'fill', 'job', 'chunks', 'entries', 'checksum')
  redis.call('UNLINK', tagKey(meta, 'settled'))
else
  keepShownOnly(meta)
end
return { DONE }
