--[[
  Score and rank in a list of each player asked for, at most 1,000 (Lua's stack ends near 8,000 arguments).

  KEYS[1] meta
  ARGV[1] definition     ARGV[2] list     ARGV[3] msgpack [player ids]
  Reply   [DONE, epoch, seq, total, standings] | [NO_BOARD]
  standings: packed score text, index or, without a row, false and whether he is hidden (1, 0), ...
]]
--@include reply-codes
--@include list-key
--@include readable-tag
--@include tag-keys
--@include hidden
local meta = KEYS[1]
local definition, listName, players = ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3])
local list, epoch, seq = readableTag(meta, definition, listName)
if not list then return { NO_BOARD } end
local standings, hidden = {}, hiddenPlayers(meta)
for i = 1, #players do
  local score = redis.call('ZSCORE', list, players[i])
  standings[2 * i - 1] = score
  if score then
    standings[2 * i] = redis.call('ZREVRANK', list, players[i])
  else
    standings[2 * i] = hidden.isAny and isHidden(hidden, players[i]) and 1 or 0
  end
end
return { DONE, epoch, seq, redis.call('ZCARD', list), standings }
