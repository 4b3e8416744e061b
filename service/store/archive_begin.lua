-- Begin to move a game into the archive: name the object, so that it is found if the process dies.
--
-- Objects that other processes have begun to write become obsolete: those moves can no longer be finished.
--
-- KEYS  log, stub of the archived game, objects    ARGV  name of the object ('' for none), now in seconds
-- Returns 1 if the game can be moved, else 0: it has no log here

for _, name in ipairs(redis.call('HKEYS', KEYS[3])) do
  if redis.call('HGET', KEYS[3], name) == 'pending' then redis.call('HSET', KEYS[3], name, ARGV[2]) end
end
if ARGV[1] == '' or redis.call('EXISTS', KEYS[2]) == 1 or redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[3], ARGV[1], 'pending')
return 1
