-- Store the tree of a player, unless the game has moved on since it was checked.
--
-- KEYS  log, trees, notes on void trees
-- ARGV  1 seq of the head for which the tree was checked, 2 player, 3 the tree
-- Returns 1, or 0 if the log has another head

if redis.call('XLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('HDEL', KEYS[3], ARGV[2])
return 1
