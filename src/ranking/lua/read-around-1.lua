--[[
  A player's row and its neighbours, clamped at both ends: a negative start would wrap to the tail.

  KEYS[1] meta
  ARGV[1] definition     ARGV[2] list     ARGV[3] player id     ARGV[4] rows above     ARGV[5] rows below
  Reply   [DONE, epoch, seq, total, first index, rows]   rows: player id, packed score text, ... | [NO_BOARD]
]]
--@include reply-codes
--@include list-key
--@include readable-tag
local meta, definition, listName = KEYS[1], ARGV[1], ARGV[2]
local player, above, below = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local list, epoch, seq = readableTag(meta, definition, listName)
if not list then return { NO_BOARD } end
local total = redis.call('ZCARD', list)
local index = redis.call('ZREVRANK', list, player)
if not index then return { DONE, epoch, seq, total, 0, {} } end
local first = math.max(index - above, 0)
return { DONE, epoch, seq, total, first, redis.call('ZREVRANGE', list, first, index + below, 'WITHSCORES') }
