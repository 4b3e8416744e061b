-- Change a hash beside a log, unless the game is archived.
--
-- KEYS  the hash, stub of the archived game
-- ARGV  number of fields to set, the fields and values to set, the fields to delete
-- Returns 1 if the hash was changed, else 0

if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
local to_set = tonumber(ARGV[1])
for i = 1, to_set do redis.call('HSET', KEYS[1], ARGV[2 * i], ARGV[2 * i + 1]) end
for i = 2 + 2 * to_set, #ARGV do redis.call('HDEL', KEYS[1], ARGV[i]) end
return 1
