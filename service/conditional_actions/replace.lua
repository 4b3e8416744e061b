-- Replace the tree of a player by another one, or by a note on why it is void, unless the player has changed it.
--
-- KEYS  trees, notes on void trees
-- ARGV  1 player, 2 the tree as it was read, 3 the new tree ('' for none), 4 the note ('' for none)
-- Returns 1, or 0 if the tree is another one by now

if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
else
  redis.call('HDEL', KEYS[1], ARGV[1])
end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[2], ARGV[1], ARGV[4]) end
return 1
