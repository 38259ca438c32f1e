-- Marks: players whose entries are computed anew from truth; see domain/marks.ts.
-- A mark is JSON of [mark id, lists, label or false, source, partition, next, ...]; lists has the names as its keys. JSON,
-- as read-marks hands it on as it is, where taking a thousand marks apart would block Redis for tens of ms.
local function readMark(text)
  local mark = cjson.decode(text)
  -- The version before knew one list and no labels.
  if type(mark[2]) ~= 'table' then return { id = mark[1], lists = {}, label = false } end
  return { id = mark[1], lists = mark[2], label = mark[3] }
end

-- Answers who had a mark before this call, as a function that asks for each player once; nil where nobody has one.
local function marksBefore(marks)
  if redis.call('EXISTS', marks) == 0 then return nil end
  local known = {}
  return function(player)
    if known[player] == nil then known[player] = redis.call('HEXISTS', marks, player) == 1 end
    return known[player]
  end
end

-- Who is to be marked at the end of a call: `order` has the players, `byPlayer` what their marks are to hold.
local function newMarks()
  return { order = {}, byPlayer = {} }
end

local function addMark(new, player, names, label)
  local mark = new.byPlayer[player]
  if not mark then
    mark = { lists = {}, label = false }
    new.byPlayer[player] = mark
    new.order[#new.order + 1] = player
  end
  for _, name in ipairs(names) do mark.lists[name] = true end
  mark.label = label or mark.label
end

-- Gives each of them a new mark with the tag's positions as meta has them now; `markId` makes the ids of this call. The
-- lists of an older mark of his stay concerned: what was to be put right there is not yet.
local function writeMarks(meta, new, markId)
  local players = new.order
  if #players == 0 then return end
  local marks, mark = tagKey(meta, 'marks'), { '', false, false, unpack(tagPositions(meta)) }
  local isAnyOld = redis.call('EXISTS', marks) == 1
  for i, player in ipairs(players) do
    local added = new.byPlayer[player]
    local text = isAnyOld and redis.call('HGET', marks, player)
    local old = text and readMark(text)
    for name in pairs(old and old.lists or {}) do added.lists[name] = true end
    mark[1], mark[2], mark[3] = markId .. ':' .. i, added.lists, added.label or old and old.label or false
    redis.call('HSET', marks, player, cjson.encode(mark))
  end
  redis.call('HDEL', tagKey(meta, 'aside'), unpack(players))
end
