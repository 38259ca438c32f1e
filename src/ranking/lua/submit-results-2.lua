--[[
  Applies the accepted results of one partition's [from, to) to the lists of a tag by the rule of its definition, which may
  lower a score; follows orders; appends the changes to the tag's stream and moves `next`: all of it, or nothing. By the
  rule `sum`, copies are not merged, nor are results too old for the tag to know their copies: those mark their player.

  KEYS[1] meta      KEYS[2] changes
  ARGV[1] msgpack [definition, source, partition text, from, to, fresh epoch, kept changes, ms to remember results,
                   ms after birth without a memory, mark id, first time, lists, combinations, width, results]
          mark id begins the ids of this call's marks, so it must be fresh
          lists is flat: name, kept until in ms or 0, ...   combinations: 1-based indexes of lists, an array each
          results is flat, `width` values each: player id, packed score or name of an order, offset above from, broker
          time above first time in ms, 1-based index of a combination; and where the width is 7, as the rule `sum` needs it,
          hash as decimal text, achievedAt above first time
  Reply   [DONE, next, outcomes, readable]   outcomes: one digit per result, see outcomes.lua; APPLIED: an entry
                                             changed, NO_RECORD: none did;
                                             readable: 1, or 0 while no board of this definition is finished
          [BEHIND, next] | [NO_BOARD] | [OTHER_DEFINITION]
  Codes   reply-codes.lua; an error reply (BADARG) means a caller's bug and that nothing was written
]]
--@include reply-codes
--@include outcomes
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
--@include merge-rows
--@include batch-lists
--@include seen
--@include positions
--@include marks
--@include aside
--@include hidden
--@include orders
--@include batch-checks
local meta, changes = KEYS[1], KEYS[2]
local request = cmsgpack.unpack(ARGV[1])
local definition, source, partition, from, to = request[1], request[2], request[3], request[4], request[5]
local freshEpoch, keptChanges, dedupMs, birthGraceMs = request[6], request[7], request[8], request[9]
local markId, firstAt, lists, combinations = request[10], request[11], request[12], request[13]
local width, results = request[14], request[15]

local position = 'next:' .. source .. ':' .. partition
local state = call('HMGET', meta, 'definition', 'generation', 'fill', 'epoch', 'seq', 'replid', position,
  'rule', 'span', 'max', 'low', 'birth', 'stale')
-- A board without a definition is shown, but was left behind by a fill that was given up: it takes another to write it.
if not (state[1] or state[2]) then return { NO_BOARD } end
local merge = scoreMerge(state[8], state[9], state[10], state[11])
-- A meta without a rule was begun by a version that knew only one.
if state[1] ~= definition or not merge then return { OTHER_DEFINITION } end
local next = tonumber(state[7] or '0')
if from > next then return { BEHIND, wholeNumber(next) } end

local isSum = merge.rule == 'sum'
local batch = { from = from, to = to, width = width, results = results, combinations = combinations }
local problem = batchListsProblem(lists, combinations) or batchProblem(batch, isSum)
if problem then return redis.error_reply('BADARG ' .. problem) end

-- By index of the result: LATE or DUPLICATE where it is not to be merged. Read before the first write.
local withheld, remembered = {}, newResults()
if isSum then
  local earliest = math.max(serverClock() - dedupMs, tonumber(state[12]) + birthGraceMs)
  for i = 1, #results, width do
    if from + results[i + 2] >= next and type(results[i + 1]) == 'number' then
      withheld[i] = judgeCopy(meta, earliest, remembered, results[i + 5], firstAt + results[i + 6])
    end
  end
end

local board = writtenBoard(meta, merge, state[2], state[13], state[3])
local listsOf = batchLists(board, lists, combinations)
local hidden, isMarked, newMarks = hiddenPlayers(meta), marksBefore(tagKey(meta, 'marks')), newMarks()
local aside = tagKey(meta, 'aside')

local function take(i)
  local player, incoming, at, lists = results[i], results[i + 1], firstAt + results[i + 3], listsOf[results[i + 4]]
  if ORDERS[incoming] ~= nil then
    followOrder(board, hidden, newMarks, incoming, player, lists, at)
    return MARKED
  end
  local judged = withheld[i]
  if judged == LATE then addMark(newMarks, player, {}, false) end
  if judged then return judged end
  if hidden.isAny and isHidden(hidden, player) then return HIDDEN end
  -- What came in the call of a mark lies below its positions.
  if isMarked and isMarked(player) and not newMarks.byPlayer[player] then
    mergeAside(aside, merge, lists, player, incoming)
  end
  return mergeResult(board, lists, player, incoming, at) and APPLIED or NO_RECORD
end

local outcomes = {}
for i = 1, #results, width do
  outcomes[#outcomes + 1] = from + results[i + 2] < next and SKIPPED or take(i)
end

local updates = appendChanges(changes, tonumber(state[4]), tonumber(state[5]), state[6], freshEpoch, keptChanges,
  board.applied)
if to > next then
  next = to
  updates[#updates + 1] = position
  updates[#updates + 1] = wholeNumber(next)
end
if #updates > 0 then call('HSET', meta, unpack(updates)) end
-- Their marks hold the positions after this call: truth has these results once it has reached them.
writeMarks(meta, newMarks, markId)
remember(remembered, dedupMs)
return { DONE, wholeNumber(next), table.concat(outcomes), board.shown and 1 or 0 }
