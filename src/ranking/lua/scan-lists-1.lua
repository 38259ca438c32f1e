--[[
  Lists of the board that is read which rank somebody, a part of them at a time; each comes at least once.

  KEYS[1] meta
  ARGV[1] definition     ARGV[2] cursor, '0' at first     ARGV[3] about how many lists
  Reply   [DONE, next cursor, lists]   next cursor: '0' behind the last; lists: name, number of rows, ... | [NO_BOARD]
]]
--@include reply-codes
--@include list-key
--@include tag-keys
--@include readable-tag
local meta, definition, cursor, count = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local season = 's'
if not readableTag(meta, definition, season) then return { NO_BOARD } end
local generation = redis.call('HGET', meta, 'generation')
local lists = {}
local function add(name)
  local total = redis.call('ZCARD', listKey(meta, generation, name))
  if total == 0 then return end
  lists[#lists + 1] = name
  lists[#lists + 1] = total
end
-- The version before had no registry, and this one list.
if cursor == '0' then add(season) end
local scan = redis.call('ZSCAN', tagKey(meta, 'lists:' .. generation), cursor, 'COUNT', count)
for i = 1, #scan[2], 2 do
  if scan[2][i] ~= season then add(scan[2][i]) end
end
return { DONE, scan[1], lists }
