-- Postpone the next attempt of deliveries that wait for one.
--
-- KEYS  due
-- ARGV  1 time of the next attempt, 2 the same in ms, 3 prefix of records; then the ids

for i = 4, #ARGV do
  if redis.call('ZADD', KEYS[1], 'XX', 'CH', ARGV[2], ARGV[i]) == 1 then
    redis.call('HSET', ARGV[3] .. ARGV[i], 'due_at', ARGV[1])
  end
end
