-- Remove a note if it is still the one that was seen to: newer work under its name must not be lost.
--
-- KEYS  notes    ARGV  name, value    Returns 1 if it was removed, else 0

if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  return redis.call('HDEL', KEYS[1], ARGV[1])
end
return 0
