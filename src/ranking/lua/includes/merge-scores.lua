-- How a packed score merges into an entry, by the rule that begin-fill keeps in meta; twin of domain/rules.ts.
-- All numbers are whole doubles below 2^53 and the span is a power of two: `%` and `/` with math.floor are exact.
local function scoreMerge(rule, span, max, low)
  return rule and { rule = rule, span = tonumber(span), max = tonumber(max), isLow = low == '1' }
end

-- `current` is nil or false for a player without a row.
local function mergeScores(merge, current, incoming)
  if not current then return incoming end
  if merge.rule == 'best' then return math.max(current, incoming) end
  local span, max = merge.span, merge.max
  local currentTime, incomingTime = current % span, incoming % span
  if merge.rule == 'latest' then
    if currentTime == incomingTime then return math.max(current, incoming) end
    return incomingTime < currentTime and incoming or current
  end
  local time = math.min(currentTime, incomingTime)
  local a, b = math.floor(current / span), math.floor(incoming / span)
  -- Low first, both are what is left up to max; no step of it leaves 53 bits.
  if merge.isLow then return math.max(a - (max - b), 0) * span + time end
  return math.min(a + b, max) * span + time
end
