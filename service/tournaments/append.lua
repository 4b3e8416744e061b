-- Append to the log of a tournament: its events, and entries of its outbox, or nothing.
--
-- KEYS  log, outbox, secrets
-- ARGV  1 expected seq, 2 hash of the previous event ('' for a new tournament), 3 number of events, 4 of entries,
--       5 of secrets; then the events, the entries (name, payload), the secrets (name, value)
-- Returns 1 if they were appended, 0 if the head is not the expected event

local log, outbox, secrets = KEYS[1], KEYS[2], KEYS[3]
local expected = tonumber(ARGV[1])
if redis.call('XLEN', log) ~= expected then return 0 end
if expected > 0 then
  local line = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1][2][2]
  if not string.find(line, '"hash":"' .. ARGV[2] .. '","prev":', 1, true) then return 0 end
end
local next_arg = 6
for i = 1, tonumber(ARGV[3]) do
  redis.call('XADD', log, (expected + i) .. '-0', 'e', ARGV[next_arg])
  next_arg = next_arg + 1
end
for _ = 1, tonumber(ARGV[4]) do
  redis.call('HSET', outbox, ARGV[next_arg], ARGV[next_arg + 1])
  next_arg = next_arg + 2
end
for _ = 1, tonumber(ARGV[5]) do
  redis.call('HSET', secrets, ARGV[next_arg], ARGV[next_arg + 1])
  next_arg = next_arg + 2
end
return 1
