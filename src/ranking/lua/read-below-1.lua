--[[
  Rows of a list right below an order key, whether or not a row is there.

  KEYS[1] meta
  ARGV[1] definition     ARGV[2] list     ARGV[3] packed score text     ARGV[4] player id     ARGV[5] rows, at least 1
  Reply   [DONE, epoch, seq, total, first index, rows]   rows: player id, packed score text, ... | [NO_BOARD]
]]
--@include reply-codes
--@include list-key
--@include readable-tag
--@include count-down-to
local meta, definition, listName, score, player = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local list, epoch, seq = readableTag(meta, definition, listName)
if not list then return { NO_BOARD } end
local first = countDownTo(list, score, player)
local rows = redis.call('ZREVRANGE', list, first, first + tonumber(ARGV[5]) - 1, 'WITHSCORES')
return { DONE, epoch, seq, redis.call('ZCARD', list), first, rows }
