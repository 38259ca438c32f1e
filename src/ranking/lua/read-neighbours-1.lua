--[[
  The rows around each of several players, all at one seq.

  KEYS[1] meta
  ARGV[1] definition     ARGV[2] list     ARGV[3] msgpack [player id, rows above, rows below, ...]
  Reply   [DONE, epoch, seq, total, windows]   windows: first index, rows, ...; rows: player id, packed score text, ... | [NO_BOARD]
]]
--@include reply-codes
--@include list-key
--@include readable-tag
--@include around-rows
local meta, definition, listName, asked = KEYS[1], ARGV[1], ARGV[2], cmsgpack.unpack(ARGV[3])
local list, epoch, seq = readableTag(meta, definition, listName)
if not list then return { NO_BOARD } end
local windows = {}
for i = 1, #asked, 3 do
  local first, rows = aroundRows(list, asked[i], asked[i + 1], asked[i + 2])
  windows[#windows + 1] = first
  windows[#windows + 1] = rows
end
return { DONE, epoch, seq, redis.call('ZCARD', list), windows }
