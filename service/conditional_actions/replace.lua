-- Replace the conditional actions of a player by others, or by a note on why they are void, unless the player
-- has changed them.
--
-- KEYS  conditional actions, notes on void ones
-- ARGV  1 player, 2 the value as it was read, 3 the new one ('' for none), 4 the note ('' for none)
-- Returns 1, or 0 if the value is another one by now

if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
else
  redis.call('HDEL', KEYS[1], ARGV[1])
end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[2], ARGV[1], ARGV[4]) end
return 1
