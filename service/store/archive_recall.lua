-- Bring an archived game back: write its log and the hashes beside it, and make its object obsolete.
--
-- KEYS  log, stub of the archived game, objects, then the hashes
-- ARGV  1 name of the object, 2 now in seconds, 3 number of events, then the events (two values each, the line and
--       its provenance, '' for none), and for each hash the number of its fields, and its fields and values
-- Returns 1 if the game is back now, else 0: it is not archived in this object any more

if redis.call('HGET', KEYS[2], 'object') ~= ARGV[1] then return 0 end

local count = tonumber(ARGV[3])
for seq = 1, count do
  local line, provenance = ARGV[2 + 2 * seq], ARGV[3 + 2 * seq]
  if provenance == '' then
    redis.call('XADD', KEYS[1], seq .. '-0', 'e', line)
  else
    redis.call('XADD', KEYS[1], seq .. '-0', 'e', line, 'p', provenance)
  end
end
local next_arg = 4 + 2 * count
for i = 4, #KEYS do
  local fields = tonumber(ARGV[next_arg])
  next_arg = next_arg + 1
  for _ = 1, fields do
    redis.call('HSET', KEYS[i], ARGV[next_arg], ARGV[next_arg + 1])
    next_arg = next_arg + 2
  end
end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
return 1
