-- Append to a game's log: write events, secrets, outbox entries, receipts and an idempotency record, or nothing.
-- If a player of the game has prepared conditional actions, the outbox entry `conditional` is set as well. At the end
-- of the game, they are deleted.
--
-- Every check comes before the first write, because Redis does not roll back a script. The first write is
-- the XADD, which fails by itself if the id is taken. All keys belong to one game, so they share a slot.
--
-- KEYS  log, secrets, outbox, idempotency records, receipts, conditional actions, notes on void ones
-- ARGV  1 game, 2 expected seq, 3 name of the idempotency record ('' for none), 4 its request digest,
--       5 seconds after which the idempotency records expire (0: never), 6 hash of the previous event
--       ('' for any), 7 number of events, 8 of secrets, 9 of outbox entries to set, 10 of outbox entries
--       to remove, 11 of receipts, 12 id of the player whose conditional actions these events come from ('' for
--       none), 13 these conditional actions; then, in this order: the events (one value each), the secrets and
--       the entries to set (a name and a value each), the entries to remove (a name each), the receipts (a
--       seq and a value each)
-- Returns {1, first, last}  appended now
--         {2, first, last}  appended before, by a request with the same idempotency record
--         {0, head}         nothing appended: the head is not the expected event
--         {-1}              nothing appended: the idempotency record belongs to another request
--         {-2}              nothing appended: the player has changed the conditional actions

local game, expected = ARGV[1], tonumber(ARGV[2])
local record, digest = ARGV[3], ARGV[4]
local expire_seconds, prev_hash = ARGV[5], ARGV[6]
local event_count, secret_count = tonumber(ARGV[7]), tonumber(ARGV[8])
local set_count, remove_count = tonumber(ARGV[9]), tonumber(ARGV[10])
local receipt_count = tonumber(ARGV[11])
local preparer = ARGV[12]

if record ~= '' then
  local stored = redis.call('HGET', KEYS[4], record)
  if stored then
    local stored_digest, first, last = string.match(stored, '^(%S+) (%d+) (%d+)$')
    if stored_digest ~= digest then return {-1} end
    return {2, tonumber(first), tonumber(last)}
  end
end

local head = redis.call('XLEN', KEYS[1])
if head ~= expected then return {0, head} end
if head > 0 and prev_hash ~= '' then
  local line = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1][2][2]
  if not string.find(line, '"hash":"' .. prev_hash .. '"', 1, true) then return {0, head} end
end

if preparer ~= '' and redis.call('HGET', KEYS[6], preparer) ~= ARGV[13] then return {-2} end

local next_arg = 14
for i = 1, event_count do
  redis.call('XADD', KEYS[1], (expected + i) .. '-0', 'e', ARGV[next_arg])
  next_arg = next_arg + 1
end
if secret_count > 0 then
  redis.call('HSET', KEYS[2], unpack(ARGV, next_arg, next_arg + 2 * secret_count - 1))
  next_arg = next_arg + 2 * secret_count
end
if set_count > 0 then
  redis.call('HSET', KEYS[3], unpack(ARGV, next_arg, next_arg + 2 * set_count - 1))
  next_arg = next_arg + 2 * set_count
end
if remove_count > 0 then
  redis.call('HDEL', KEYS[3], unpack(ARGV, next_arg, next_arg + remove_count - 1))
  next_arg = next_arg + remove_count
end
if receipt_count > 0 then
  redis.call('HSET', KEYS[5], unpack(ARGV, next_arg, next_arg + 2 * receipt_count - 1))
end

local last = expected + event_count
if record ~= '' then
  redis.call('HSET', KEYS[4], record, digest .. ' ' .. (expected + 1) .. ' ' .. last)
end
if expire_seconds ~= '0' then
  redis.call('EXPIRE', KEYS[4], expire_seconds)
  redis.call('DEL', KEYS[6], KEYS[7])
  redis.call('HDEL', KEYS[3], 'conditional')
elseif redis.call('EXISTS', KEYS[6]) == 1 then
  redis.call('HSET', KEYS[3], 'conditional', '{"seq":' .. last .. '}')
end
-- The first channel is for subscribers to all games, the second for subscribers to this game.
redis.call('PUBLISH', 'cartulary:appended', game .. ' ' .. last)
redis.call('PUBLISH', 'cartulary:appended:' .. game, last)
return {1, expected + 1, last}
