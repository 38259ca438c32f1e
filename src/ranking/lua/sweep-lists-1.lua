--[[
  Drops some lists of one generation that is neither shown nor filled; in the background, as a list may be large.

  KEYS[1] meta
  ARGV[1] how many lists at most
  Reply   [DONE, left]   left: 1 where there is more to drop, else 0
]]
--@include reply-codes
--@include list-key
--@include tag-keys
local meta, count = KEYS[1], ARGV[1]
local generations = tagKey(meta, 'generations')
local state = redis.call('HMGET', meta, 'generation', 'fill')
local unused = {}
for _, generation in ipairs(redis.call('SMEMBERS', generations)) do
  if generation ~= state[1] and generation ~= state[2] then unused[#unused + 1] = generation end
end
local generation = unused[1]
if not generation then return { DONE, 0 } end

local registry = tagKey(meta, 'lists:' .. generation)
local popped = redis.call('ZPOPMIN', registry, count)
for i = 1, #popped, 2 do redis.call('UNLINK', listKey(meta, generation, popped[i])) end
if redis.call('EXISTS', registry) == 1 then return { DONE, 1 } end
-- The version before had no registry, and one list.
redis.call('UNLINK', listKey(meta, generation, 's'))
redis.call('SREM', generations, generation)
return { DONE, #unused > 1 and 1 or 0 }
