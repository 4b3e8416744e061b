-- Remove a game whose object is complete and verified, unless it has changed since it was copied.
--
-- KEYS  log, stub of the archived game, objects, outbox, then the hashes that were copied
-- ARGV  1 name of the object, 2 its SHA-256, 3 its size, 4 seq of the last event, 5 the last event, then the
--       digest of each hash that was copied
-- Returns 1 if the game is archived now, 0 if it has changed, -1 if another process has begun to move it

if redis.call('HGET', KEYS[3], ARGV[1]) ~= 'pending' then return -1 end
if redis.call('XLEN', KEYS[1]) ~= tonumber(ARGV[4]) then return 0 end
if redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1][2][2] ~= ARGV[5] then return 0 end
if redis.call('EXISTS', KEYS[4]) == 1 then return 0 end

for i = 5, #KEYS do
  local pairs_of_hash, digests = redis.call('HGETALL', KEYS[i]), {}
  for field = 1, #pairs_of_hash, 2 do
    local name, value = pairs_of_hash[field], pairs_of_hash[field + 1]
    table.insert(digests, redis.sha1hex(redis.sha1hex(name) .. redis.sha1hex(value)))
  end
  table.sort(digests)
  if redis.sha1hex(table.concat(digests)) ~= ARGV[i + 1] then return 0 end
end

redis.call('HSET', KEYS[2], 'object', ARGV[1], 'sha256', ARGV[2], 'bytes', ARGV[3], 'seq', ARGV[4], 'line', ARGV[5])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('DEL', KEYS[1])
for i = 5, #KEYS do redis.call('DEL', KEYS[i]) end
return 1
