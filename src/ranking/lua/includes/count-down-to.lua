-- How many rows of a list stand above or at an order key, whether or not a row is there.
-- Among equal scores by halves over their ids, compared byte by byte: `<` would compare them by the locale.
local function isIdBelow(id, other)
  for i = 1, math.min(#id, #other) do
    local byte, otherByte = string.byte(id, i), string.byte(other, i)
    if byte ~= otherByte then return byte < otherByte end
  end
  return #id < #other
end

local function countDownTo(list, score, player)
  local low = redis.call('ZCOUNT', list, '(' .. score, '+inf')
  local high = redis.call('ZCOUNT', list, score, '+inf')
  while low < high do
    local middle = math.floor((low + high) / 2)
    if isIdBelow(redis.call('ZREVRANGE', list, middle, middle)[1], player) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end
