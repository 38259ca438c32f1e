--[[
  A player's row and its neighbours.

  KEYS[1] meta
  ARGV[1] definition     ARGV[2] list     ARGV[3] player id     ARGV[4] rows above     ARGV[5] rows below
  Reply   [DONE, epoch, seq, total, first index, rows]   rows: player id, packed score text, ... | [NO_BOARD]
]]
--@include reply-codes
--@include list-key
--@include readable-tag
--@include around-rows
local meta, definition, listName = KEYS[1], ARGV[1], ARGV[2]
local list, epoch, seq = readableTag(meta, definition, listName)
if not list then return { NO_BOARD } end
local first, rows = aroundRows(list, ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]))
return { DONE, epoch, seq, redis.call('ZCARD', list), first, rows }
