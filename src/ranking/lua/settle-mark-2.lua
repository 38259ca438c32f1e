--[[
  Writes a marked player's entries whole: what truth came to in each list, merged with what came aside since his mark; no
  row where he is hidden. Takes the mark.

  KEYS[1] meta      KEYS[2] changes
  ARGV[1] msgpack [definition, player id, mark id, folded, fresh epoch, kept changes]
          folded is flat: list, kept until in ms or 0, packed score or false where truth has none, ...
  Reply   [DONE] | [SUPERSEDED]
  Codes   reply-codes.lua; an error reply (BADARG) means a caller's bug and that nothing was written
]]
--@include reply-codes
--@include list-key
--@include tag-keys
--@include whole-number
--@include argument-checks
--@include merge-scores
--@include server-clock
--@include replication-id
--@include append-changes
--@include list-registry
--@include board-rows
--@include positions
--@include marks
--@include aside
local meta, changes = KEYS[1], KEYS[2]
local request = cmsgpack.unpack(ARGV[1])
local definition, player, markId, folded = request[1], request[2], request[3], request[4]
local freshEpoch, keptChanges = request[5], request[6]

local state = call('HMGET', meta, 'definition', 'generation', 'fill', 'epoch', 'seq', 'replid',
  'rule', 'span', 'max', 'low', 'stale')
-- What was folded under another definition means nothing here.
local marked = state[1] == definition and call('HGET', tagKey(meta, 'marks'), player)
local mark = marked and readMark(marked)
if not mark or mark.id ~= markId then return { SUPERSEDED } end
for i = 1, #folded, 3 do
  local name, keptUntil, score = folded[i], folded[i + 1], folded[i + 2]
  if not isListName(name) or not isKeptUntil(keptUntil) then return redis.error_reply('BADARG list ' .. (i + 2) / 3) end
  if score and not isScore(score) then return redis.error_reply('BADARG score of list ' .. (i + 2) / 3) end
end

-- Every list that is concerned, with his entry there; no score: no row. Of a list that only the mark names it is not
-- known until when it is kept, nor needed: he is only to leave it.
local entries = {}
for name in pairs(mark.lists) do entries[name] = { score = false, keptUntil = 0 } end
for i = 1, #folded, 3 do entries[folded[i]] = { score = folded[i + 2], keptUntil = folded[i + 1] } end
local merge = scoreMerge(state[7], state[8], state[9], state[10])
for name, since in pairs(readAside(tagKey(meta, 'aside'), player)) do
  local entry = entries[name]
  entries[name] = { score = mergeScores(merge, entry and entry.score, since[1]), keptUntil = since[2] }
end

local now, isHidden = serverClock(), call('SISMEMBER', tagKey(meta, 'hidden'), player) == 1
local board = writtenBoard(meta, merge, state[2], state[11], state[3])
for name, entry in pairs(entries) do
  if isKept(entry.keptUntil, now) then
    putRow(board, boardList(board, name, entry.keptUntil), player, not isHidden and entry.score, now, mark.label)
  end
end
-- His entries are whole: what truth still brings of them must not come on top.
if board.fill then call('SADD', tagKey(meta, 'settled'), player) end
call('HDEL', tagKey(meta, 'marks'), player)
call('HDEL', tagKey(meta, 'aside'), player)
local updates = appendChanges(changes, tonumber(state[4]), tonumber(state[5]), state[6], freshEpoch, keptChanges,
  board.applied)
if #updates > 0 then call('HSET', meta, unpack(updates)) end
return { DONE }
