-- Create a delivery unless it exists. All keys share a slot.
--
-- KEYS  record, due, index of the player (the index of the game for the operator), index of the game,
--       record of the digest, items of the digest
-- ARGV  1 id, 2 content, 3 time of creation in ms, 4 seq, 5 due time in ms ('' for a part of a digest),
--       6 most deliveries of a player, 7 most of a game, 8 most that wait, 9 prefix of records,
--       10 seconds for which a delivery is kept after its end, 11 result if there are too many,
--       12 '1' if it goes to the operator
-- Returns 1 if it was created, 2 if it was created and given up at once because too many wait,
--         0 if it existed, -1 if the digest has been sent or is being sent

local id = ARGV[1]
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local is_part = ARGV[5] == ''
if is_part and redis.call('HGET', KEYS[5], 'attempts') ~= '0' then return -1 end

local function is_final(record)
  local status = redis.call('HGET', record, 'status')
  return not status or (status ~= 'pending' and status ~= 'retrying')
end

-- Remove the oldest members of an index that are beyond its limit; return whether it is full nevertheless.
local function is_full(index, limit, deletes)
  local excess = redis.call('ZCARD', index) - limit + 1
  if excess <= 0 then return false end
  for _, member in ipairs(redis.call('ZRANGE', index, 0, -1)) do
    local record = ARGV[9] .. member
    if is_final(record) or not deletes then
      if deletes then redis.call('DEL', record) end
      redis.call('ZREM', index, member)
      excess = excess - 1
      if excess == 0 then return false end
    end
  end
  return true
end

local is_operators = ARGV[12] == '1'
local refused = redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[8])
if is_operators then
  refused = is_full(KEYS[4], tonumber(ARGV[7]), true) or refused
else
  refused = is_full(KEYS[3], tonumber(ARGV[6]), true) or refused
  if ARGV[4] ~= '0' then is_full(KEYS[4], tonumber(ARGV[7]), false) end
end

redis.call('HSET', KEYS[1], 'content', ARGV[2], 'status', 'pending', 'attempts', '0')
if not is_operators then redis.call('ZADD', KEYS[3], ARGV[3], id) end
if ARGV[4] ~= '0' then redis.call('ZADD', KEYS[4], ARGV[4], id) end
if refused then
  redis.call('HSET', KEYS[1], 'status', 'given_up', 'result', ARGV[11])
  redis.call('EXPIRE', KEYS[1], ARGV[10])
  return 2
end
if is_part then
  redis.call('RPUSH', KEYS[6], id)
else
  redis.call('ZADD', KEYS[2], ARGV[5], id)
end
return 1
