--[[
  Marks players with the tag's positions as they are: their entries are computed anew from truth.

  KEYS[1] meta
  ARGV[1] msgpack [definition, mark id, players]   players is flat: player id, names of lists, ...
          mark id begins the ids of these marks, so it must be fresh
  Reply   [DONE] | [NO_BOARD] | [OTHER_DEFINITION]
  Codes   reply-codes.lua; an error reply (BADARG) means a caller's bug and that nothing was written
]]
--@include reply-codes
--@include tag-keys
--@include argument-checks
--@include positions
--@include marks
local meta = KEYS[1]
local request = cmsgpack.unpack(ARGV[1])
local definition, markId, players = request[1], request[2], request[3]

local state = redis.call('HMGET', meta, 'definition', 'rule', 'generation')
if not (state[1] or state[3]) then return { NO_BOARD } end
if state[1] ~= definition or not state[2] then return { OTHER_DEFINITION } end

local new = newMarks()
for i = 1, #players, 2 do
  if not isPlayerId(players[i]) then return redis.error_reply('BADARG player id ' .. (i + 1) / 2) end
  for _, name in ipairs(players[i + 1]) do
    if not isListName(name) then return redis.error_reply('BADARG list of player ' .. (i + 1) / 2) end
  end
  addMark(new, players[i], players[i + 1], false)
end
writeMarks(meta, new, markId)
return { DONE }
