-- A number as exact decimal text; `..` and tostring() would keep 14 digits.
local function wholeNumber(number)
  return string.format('%.0f', number)
end
