-- Publish a checkpoint, unless one for a larger tree of the same log is published already.
--
-- KEYS  size of the latest checkpoint, checkpoints, size of the latest cosigned checkpoint, mark of freshness,
--       declarations of epochs
-- ARGV  1 origin, 2 size, 3 note, 4 milliseconds for which the checkpoint is fresh, 5 number of checkpoints to keep,
--       6 number of epochs that the publisher knows
-- Returns 1 if it was published, -1 if there is a new epoch, else 0

if redis.call('LLEN', KEYS[5]) ~= tonumber(ARGV[6]) then return -1 end

local latest = redis.call('GET', KEYS[1])
if latest then
  local note = redis.call('HGET', KEYS[2], latest)
  if note and string.sub(note, 1, #ARGV[1] + 1) == ARGV[1] .. '\n' then
    if tonumber(latest) > tonumber(ARGV[2]) then return 0 end
  else
    -- The checkpoints are those of a log with another origin.
    redis.call('DEL', KEYS[2], KEYS[3])
  end
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('SET', KEYS[1], ARGV[2])
redis.call('SET', KEYS[4], ARGV[2], 'PX', ARGV[4])
local cosigned = redis.call('GET', KEYS[3])
while redis.call('HLEN', KEYS[2]) > tonumber(ARGV[5]) do
  local oldest = nil
  for _, size in ipairs(redis.call('HKEYS', KEYS[2])) do
    if size ~= cosigned and (not oldest or tonumber(size) < tonumber(oldest)) then oldest = size end
  end
  redis.call('HDEL', KEYS[2], oldest)
end
return 1
