-- One step of a game's log: events, secrets, notes and the answer to an idempotency key, or nothing.
--
-- Whatever can refuse comes before the first write, since Redis does not take back what a script has
-- written; the first write is the XADD, which fails by itself where an id is taken. All keys are of one
-- game, so of one slot.
--
-- KEYS  log, secrets, notes, answers
-- ARGV  game, expected seq, answer's name ('' for none), answer's body, seconds to keep answers (0: for
--       ever), hash of the event that is followed ('' for any), number of events, of secrets, of notes to
--       set, of notes to remove; then these, in that order: each event a line, each secret and each note
--       to set a name and a value, then names
-- Returns {1, first, last} appended | {2, first, last} appended before | {0, head} the head is another |
--         {-1} the answer belongs to another request

local game, expected = ARGV[1], tonumber(ARGV[2])
local answer, body = ARGV[3], ARGV[4]
local events, secrets = tonumber(ARGV[7]), 2 * tonumber(ARGV[8])
local notes, done = 2 * tonumber(ARGV[9]), tonumber(ARGV[10])

if answer ~= '' then
  local known = redis.call('HGET', KEYS[4], answer)
  if known then
    local asked, first, last = string.match(known, '^(%S+) (%d+) (%d+)$')
    if asked ~= body then return {-1} end
    return {2, tonumber(first), tonumber(last)}
  end
end

local head = redis.call('XLEN', KEYS[1])
if head ~= expected then return {0, head} end
if head > 0 and ARGV[6] ~= '' then
  local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1][2][2]
  if not string.find(last, '"hash":"' .. ARGV[6] .. '"', 1, true) then return {0, head} end
end

local at = 10
for i = 1, events do
  redis.call('XADD', KEYS[1], (expected + i) .. '-0', 'e', ARGV[at + i])
end
at = at + events
if secrets > 0 then redis.call('HSET', KEYS[2], unpack(ARGV, at + 1, at + secrets)) end
at = at + secrets
if notes > 0 then redis.call('HSET', KEYS[3], unpack(ARGV, at + 1, at + notes)) end
at = at + notes
if done > 0 then redis.call('HDEL', KEYS[3], unpack(ARGV, at + 1, at + done)) end

local last = expected + events
if answer ~= '' then
  redis.call('HSET', KEYS[4], answer, body .. ' ' .. (expected + 1) .. ' ' .. last)
end
if ARGV[5] ~= '0' then redis.call('EXPIRE', KEYS[4], ARGV[5]) end
-- The first for who follows all games, the second for who follows this one.
redis.call('PUBLISH', 'cartulary:appended', game .. ' ' .. last)
redis.call('PUBLISH', 'cartulary:appended:' .. game, last)
return {1, expected + 1, last}
