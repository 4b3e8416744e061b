-- Claim the next attempt of a delivery, so that no other worker makes it.
--
-- KEYS  record, due
-- ARGV  1 id, 2 now in ms, 3 time in ms until which the claim holds
-- Returns the fields and values of the record, nil if there is no attempt to make now
--
-- A claim that holds longer than any worker may take is left by a worker whose clock was ahead.

local status = redis.call('HGET', KEYS[1], 'status')
if status ~= 'pending' and status ~= 'retrying' then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return nil
end
local now, expiry = tonumber(ARGV[2]), tonumber(ARGV[3])
local claimed = tonumber(redis.call('HGET', KEYS[1], 'claimed_until') or '0')
if claimed > now and claimed <= expiry then return nil end
redis.call('HSET', KEYS[1], 'claimed_until', ARGV[3])
redis.call('HINCRBY', KEYS[1], 'attempts', 1)
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return redis.call('HGETALL', KEYS[1])
