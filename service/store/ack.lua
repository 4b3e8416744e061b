-- Acknowledge an outbox entry: remove it if it still has this payload. A newer entry of the same name stays.
--
-- KEYS  outbox    ARGV  name, payload    Returns 1 if the entry was removed, else 0

if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  return redis.call('HDEL', KEYS[1], ARGV[1])
end
return 0
