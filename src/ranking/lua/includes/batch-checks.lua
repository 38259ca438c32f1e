-- The first that is wrong with the results of a submit, in words; nil where all is well. Asked before the first write.
local function batchProblem(batch, isSum)
  local from, to, width, results = batch.from, batch.to, batch.width, batch.results
  local combinations = batch.combinations
  for i = 1, #results, width do
    local what
    local score, offset, combination = results[i + 1], results[i + 2], results[i + 4]
    local isOrder = ORDERS[score] ~= nil
    if not isPlayerId(results[i]) then
      what = 'player id'
    elseif not isOrder and not isScore(score) then
      what = 'score'
    elseif type(offset) ~= 'number' or offset < 0 or from + offset >= to then
      what = 'offset'
    elseif not combinations[combination] or not isOrder and #combinations[combination] == 0 then
      what = 'lists'
    elseif isSum and not isOrder and (width ~= 7 or not isHash(results[i + 5]) or not isWholeNumber(results[i + 6])) then
      what = 'identity'
    end
    if what then return what .. ' of result ' .. (i - 1) / width + 1 end
  end
end
