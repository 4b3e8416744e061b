-- Replace a sandbox if nobody has changed it since it was read.
--
-- KEYS  sandbox    ARGV  its value as it was read, its new value, seconds after which it expires
-- Returns 1 if it was replaced, else 0

if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1
