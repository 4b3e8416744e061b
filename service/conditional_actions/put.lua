-- Store the conditional actions of a player, unless the game has moved on since they were checked.
--
-- KEYS  log, conditional actions, notes on void ones
-- ARGV  1 seq of the head for which they were checked, 2 player, 3 the conditional actions
-- Returns 1, or 0 if the log has another head

if redis.call('XLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('HDEL', KEYS[3], ARGV[2])
return 1
