--[[
  Score and rank in a list of each player asked for, at most 1,000 (Lua's stack ends near 8,000 arguments).

  KEYS[1] meta
  ARGV[1] definition     ARGV[2] list     ARGV[3] msgpack [player ids]
  Reply   [DONE, epoch, seq, total, standings]   standings: packed score text, index or two nils (false), ... | [NO_BOARD]
]]
--@include reply-codes
--@include list-key
--@include readable-tag
local meta = KEYS[1]
local definition, listName, players = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3])
local list, epoch, seq = readableTag(meta, definition, listName)
if not list then return { NO_BOARD } end
local standings = {}
for i = 1, #players do
  local score = redis.call('ZSCORE', list, players[i])
  standings[2 * i - 1] = score
  standings[2 * i] = score and redis.call('ZREVRANK', list, players[i])
end
return { DONE, epoch, seq, redis.call('ZCARD', list), standings }
