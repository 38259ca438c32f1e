-- What an argument must be; asked before the first write, as a script is not rolled back.
local MAX_SCORE = 9007199254740991

-- A rest is never 0 of what is not finite.
local function isWholeNumber(value)
  return type(value) == 'number' and value % 1 == 0
end

local function isScore(value)
  return type(value) == 'number' and value >= 0 and value <= MAX_SCORE and value % 1 == 0
end

local function isPlayerId(value)
  return type(value) == 'string' and #value > 0 and #value <= 64
end

-- Decimal text of a signed 64-bit number, by its form: what does not fit costs memory, but tells results apart as well.
local function isHash(value)
  return type(value) == 'string' and #value <= 20 and string.find(value, '^%-?%d+$') ~= nil
end

-- A letter of a period, a label and a scope of up to 32 characters, and a value of up to 64 bytes fit.
local function isListName(value)
  return type(value) == 'string' and #value > 0 and #value <= 256
end

local function isKeptUntil(value)
  return isWholeNumber(value) and value >= 0
end
