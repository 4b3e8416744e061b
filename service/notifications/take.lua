-- Take deliveries whose next attempt is due. Each is due again after a while, unless an attempt is made before.
--
-- KEYS  due
-- ARGV  1 now in ms, 2 time in ms at which they are due again, 3 most deliveries, 4 prefix of records
-- Returns for each delivery its id and its content ('' if it has none)

local taken = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[3])) do
  redis.call('ZADD', KEYS[1], ARGV[2], id)
  taken[#taken + 1] = id
  taken[#taken + 1] = redis.call('HGET', ARGV[4] .. id, 'content') or ''
end
return taken
