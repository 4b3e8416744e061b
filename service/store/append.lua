-- Append to a game's log: write events, fields of the hashes beside it, and an idempotency record, or nothing.
--
-- Every check comes before the first write, because Redis does not roll back a script. The first write is
-- the XADD, which fails by itself if the id is taken. All keys belong to one game, so they share a slot.
--
-- KEYS  log, idempotency records, outbox, stub of the archived game, settled date, seq of a damaged event, then
--       any other hashes of the game; below, a hash is an index in KEYS. The last one is that of the changed games
--       (changed_games.py)
-- ARGV  1 game, 2 expected seq, 3 name of the idempotency record ('' for none), 4 its request digest,
--       5 seconds after which the idempotency records expire, because the game ends (0: never), 6 hash of the
--       previous event ('' for any), 7 number of events, 8 of guards, 9 of fields to set, 10 of fields to
--       delete, 11 of companions, 12 the time of the events ('' for any); then, in this order: the events (two values each, the line and the request
--       or job that appends it, '' for none), the guards (a hash, a field
--       and the value that it must have), the fields to set (a hash, a field and a value), the fields to delete
--       (a hash and a field), the companions (a hash, which ends with the game, and the name of the outbox entry
--       that is set while it exists, '' for none)
-- Returns {1, first, last}  appended now
--         {2, first, last}  appended before, by a request with the same idempotency record
--         {0, head}         nothing appended: the head is not the expected event
--         {-1}              nothing appended: the idempotency record belongs to another request
--         {-2}              nothing appended: a guard has another value
--         {-3}              nothing appended: the game is in the archive
--         {-4}              nothing appended: the time is not after the settled date
--         {-5, seq}         nothing appended: this event is damaged

local game, expected = ARGV[1], tonumber(ARGV[2])
local record, digest = ARGV[3], ARGV[4]
local expire_seconds, prev_hash = ARGV[5], ARGV[6]
local event_count, guard_count = tonumber(ARGV[7]), tonumber(ARGV[8])
local set_count, delete_count = tonumber(ARGV[9]), tonumber(ARGV[10])
local companion_count, at = tonumber(ARGV[11]), ARGV[12]
local log, records, outbox = KEYS[1], KEYS[2], KEYS[3]

if record ~= '' then
  local stored = redis.call('HGET', records, record)
  if stored then
    local stored_digest, first, last = string.match(stored, '^(%S+) (%d+) (%d+)$')
    if stored_digest ~= digest then return {-1} end
    return {2, tonumber(first), tonumber(last)}
  end
end

local damaged = redis.call('GET', KEYS[6])
if damaged then return {-5, tonumber(damaged)} end

local head = redis.call('XLEN', log)
if head == 0 and redis.call('EXISTS', KEYS[4]) == 1 then return {-3} end
if head ~= expected then return {0, head} end
if head > 0 and prev_hash ~= '' then
  local line = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1][2][2]
  -- With the game before it, this is the hash of the event, and not one in its data, such as that of a lost event.
  local field = '"game":"' .. game .. '","hash":"' .. prev_hash .. '"'
  if not string.find(line, field, 1, true) then return {0, head} end
end

-- Timestamps sort like moments.
local settled = at ~= '' and redis.call('GET', KEYS[5])
if settled and at <= settled then return {-4} end

local next_arg = 13 + 2 * event_count
for _ = 1, guard_count do
  local value = redis.call('HGET', KEYS[tonumber(ARGV[next_arg])], ARGV[next_arg + 1])
  if value ~= ARGV[next_arg + 2] then return {-2} end
  next_arg = next_arg + 3
end

for i = 1, event_count do
  local line, provenance = ARGV[11 + 2 * i], ARGV[12 + 2 * i]
  if provenance == '' then
    redis.call('XADD', log, (expected + i) .. '-0', 'e', line)
  else
    redis.call('XADD', log, (expected + i) .. '-0', 'e', line, 'p', provenance)
  end
end
for _ = 1, set_count do
  redis.call('HSET', KEYS[tonumber(ARGV[next_arg])], ARGV[next_arg + 1], ARGV[next_arg + 2])
  next_arg = next_arg + 3
end
for _ = 1, delete_count do
  redis.call('HDEL', KEYS[tonumber(ARGV[next_arg])], ARGV[next_arg + 1])
  next_arg = next_arg + 2
end

local last = expected + event_count
if record ~= '' then
  redis.call('HSET', records, record, digest .. ' ' .. (expected + 1) .. ' ' .. last)
end
local is_over = expire_seconds ~= '0'
if is_over then redis.call('EXPIRE', records, expire_seconds) end
for _ = 1, companion_count do
  local companion, entry = KEYS[tonumber(ARGV[next_arg])], ARGV[next_arg + 1]
  next_arg = next_arg + 2
  if is_over then
    redis.call('DEL', companion)
    if entry ~= '' then redis.call('HDEL', outbox, entry) end
  elseif entry ~= '' and redis.call('EXISTS', companion) == 1 then
    redis.call('HSET', outbox, entry, '{"seq":' .. last .. '}')
  end
end
local time = redis.call('TIME')
redis.call('ZADD', KEYS[#KEYS], time[1] .. string.format('%06d', time[2]), game)
-- The first channel is for subscribers to all games, the second for subscribers to this game.
redis.call('PUBLISH', 'cartulary:appended', game .. ' ' .. last)
redis.call('PUBLISH', 'cartulary:appended:' .. game, last)
return {1, expected + 1, last}
