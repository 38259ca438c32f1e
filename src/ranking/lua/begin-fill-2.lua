--[[
  Starts filling a tag, beside the board that is shown where there is one; replaces an unfinished fill.

  KEYS[1] meta      KEYS[2] changes
  ARGV[1] msgpack [definition, job id, fresh epoch, replace, anew, positions, merge, hidden]
          positions is flat: source, partition text, next, ...   merge: rule, time span, max total, whether low is first
          hidden: player ids
  Reply   [DONE, positions] | [EXISTS]   positions: where the fill starts, flat: source, partition text, next text, ...
]]
--@include reply-codes
--@include list-key
--@include tag-keys
--@include replication-id
--@include server-clock
--@include whole-number
--@include positions
--@include shown-board
local meta, changes = KEYS[1], KEYS[2]
local request = cmsgpack.unpack(ARGV[1])
local definition, job, freshEpoch, isReplacing, isAnew = request[1], request[2], request[3], request[4], request[5]
local positions, merge, hidden = request[6], request[7], request[8]

local state = redis.call('HMGET', meta, 'generation', 'last', 'definition', 'rule', 'stale')
-- The very first version kept no `last`: what it shows has a number all the same, which is not free.
local shown, last = state[1], tonumber(state[2] or state[1] or '0')
if shown and not isReplacing then return { EXISTS } end

-- What a lost meta left behind must not shine through, so a number whose lists may be there is passed over.
local generations, generation = tagKey(meta, 'generations'), last + 1
while redis.call('EXISTS', tagKey(meta, 'lists:' .. generation)) == 1 do
  redis.call('SADD', generations, generation)
  generation = generation + 1
end
-- The version before kept neither this set nor a registry: it had one list.
redis.call('UNLINK', listKey(meta, generation, 's'))
if last > 0 then redis.call('SADD', generations, last) end
if shown then redis.call('SADD', generations, shown) end
redis.call('SADD', generations, generation)

-- The tag begins anew, born now, beside what may be shown.
local function beginTag()
  keepShownOnly(meta)
  if not shown then
    redis.call('UNLINK', changes)
    redis.call('HSET', meta, 'epoch', wholeNumber(freshEpoch), 'seq', 0, 'replid', replicationId())
  end
  redis.call('HSET', meta, 'definition', definition, 'birth', wholeNumber(serverClock()),
    'rule', merge[1], 'span', wholeNumber(merge[2]), 'max', wholeNumber(merge[3]), 'low', merge[4] and 1 or 0)
  for i = 1, #positions, 3 do
    redis.call('HSET', meta, 'next:' .. positions[i] .. ':' .. positions[i + 1], wholeNumber(positions[i + 2]))
  end
  for i = 1, #hidden, 1000 do
    redis.call('SADD', tagKey(meta, 'hidden'), unpack(hidden, i, math.min(i + 999, #hidden)))
  end
end

-- A board that missed results while another definition was written is no start for its own.
local isGoingOn = shown and not isAnew and state[3] == definition and state[4] and not state[5]
if not isGoingOn then beginTag() end
redis.call('UNLINK', tagKey(meta, 'settled'))
redis.call('HSET', meta, 'fill', generation, 'last', generation, 'job', job, 'chunks', 0, 'entries', 0, 'checksum', 0)
return { DONE, tagPositions(meta) }
