--[[
  Scores of rows of any lists, at most 1,000 at once, without their ranks: many rows are compared, and few of them are shown.

  KEYS[1] meta
  ARGV[1] definition     ARGV[2] msgpack [list, player id, ...]
  Reply   [DONE, scores]   scores: packed score text or nil (false), ... | [NO_BOARD]
]]
--@include reply-codes
--@include list-key
--@include readable-tag
local meta, definition, rows = KEYS[1], ARGV[1], cmsgpack.unpack(ARGV[2])
if not readableTag(meta, definition, 's') then return { NO_BOARD } end
local generation = redis.call('HGET', meta, 'generation')
local scores = {}
for i = 1, #rows, 2 do
  scores[(i + 1) / 2] = redis.call('ZSCORE', listKey(meta, generation, rows[i]), rows[i + 1])
end
return { DONE, scores }
