--[[
  Marks of a tag, any of them where there are more than asked for. HRANDFIELD takes no longer for a large hash, and as the
  choice is random, marks that truth has not reached yet keep no others from being read.

  KEYS[1] meta
  ARGV[1] how many at most
  Reply   [DONE, marks]   marks: player id, JSON as in marks.lua, ... | [NO_BOARD]
]]
--@include reply-codes
--@include tag-keys
local meta, count = KEYS[1], ARGV[1]
if redis.call('EXISTS', meta) == 0 then return { NO_BOARD } end
return { DONE, redis.call('HRANDFIELD', tagKey(meta, 'marks'), count, 'WITHVALUES') }
