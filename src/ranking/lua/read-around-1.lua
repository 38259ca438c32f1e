--[[
  A player's row and its neighbours, clamped at both ends: a negative start would wrap to the tail.

  KEYS[1] meta
  ARGV[1] player id     ARGV[2] rows above     ARGV[3] rows below
  Reply   [DONE, epoch, seq, total, first index, rows]   rows: player id, packed score text, ... | [NO_BOARD]
]]
--@include reply-codes
--@include list-key
--@include readable-tag
local meta, player, above, below = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local list, epoch, seq = readableTag(meta)
if not list then return { NO_BOARD } end
local total = redis.call('ZCARD', list)
local index = redis.call('ZREVRANK', list, player)
if not index then return { DONE, epoch, seq, total, 0, {} } end
local first = math.max(index - above, 0)
return { DONE, epoch, seq, total, first, redis.call('ZREVRANGE', list, first, index + below, 'WITHSCORES') }
