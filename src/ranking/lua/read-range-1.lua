--[[
  Rows of the list from an index on.

  KEYS[1] meta
  ARGV[1] first index, 0-based     ARGV[2] last index, inclusive
  Reply   [DONE, epoch, seq, total, first index, rows]   rows: player id, packed score text, ... | [NO_BOARD]
]]
--@include reply-codes
--@include list-key
--@include readable-tag
local meta, first, last = KEYS[1], ARGV[1], ARGV[2]
local list, epoch, seq = readableTag(meta)
if not list then return { NO_BOARD } end
return { DONE, epoch, seq, redis.call('ZCARD', list), first, redis.call('ZREVRANGE', list, first, last, 'WITHSCORES') }
