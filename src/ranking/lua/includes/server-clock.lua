-- Redis's own clock in epoch milliseconds: it expires what a tag remembers, so it judges what is late as well.
local function serverClock()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
