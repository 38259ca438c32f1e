--[[
  Rows of a list from an index on.

  KEYS[1] meta
  ARGV[1] definition     ARGV[2] list     ARGV[3] first index, 0-based     ARGV[4] last index, inclusive
  Reply   [DONE, epoch, seq, total, first index, rows]   rows: player id, packed score text, ... | [NO_BOARD]
]]
--@include reply-codes
--@include list-key
--@include readable-tag
local meta, definition, listName, first, last = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local list, epoch, seq = readableTag(meta, definition, listName)
if not list then return { NO_BOARD } end
return { DONE, epoch, seq, redis.call('ZCARD', list), first, redis.call('ZREVRANGE', list, first, last, 'WITHSCORES') }
