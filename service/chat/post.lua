-- Add a message to those of a game, or nothing. Every check comes before the first write.
--
-- KEYS  the messages of the game, stub of the archived game
-- ARGV  1 the author, 2 field of the idempotency key ('' for none), 3 digest of the request, 4 the most messages
--       of an author, 5 the message as JSON, 6 the channel and 7 the text that report the message
-- Returns {1, number}  added now
--         {2, number}  added before, by a request with the same idempotency key
--         {0}          not added: the author has as many messages as allowed
--         {-1}         not added: the idempotency key belongs to another request
--         {-2}         not added: the game is in the archive

if redis.call('EXISTS', KEYS[2]) == 1 then return {-2} end

local author, key, digest = ARGV[1], ARGV[2], ARGV[3]

if key ~= '' then
  local stored = redis.call('HGET', KEYS[1], key)
  if stored then
    local stored_digest, number = string.match(stored, '^(%S+) (%d+)$')
    if stored_digest ~= digest then return {-1} end
    return {2, tonumber(number)}
  end
end

local count = 'count/' .. author
if tonumber(redis.call('HGET', KEYS[1], count) or '0') >= tonumber(ARGV[4]) then return {0} end

local number = redis.call('HINCRBY', KEYS[1], 'last', 1)
redis.call('HINCRBY', KEYS[1], count, 1)
redis.call('HSET', KEYS[1], 'read/' .. author, number)
redis.call('HSET', KEYS[1], tostring(number), ARGV[5])
if key ~= '' then redis.call('HSET', KEYS[1], key, digest .. ' ' .. number) end
redis.call('PUBLISH', ARGV[6], ARGV[7])
return {1, number}
