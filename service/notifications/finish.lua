-- Record the result of an attempt, or of several deliveries at once, those of a digest.
--
-- KEYS  due, totals by status, failed; then the records
-- ARGV  1 attempt that was claimed ('' for parts of a digest, to which it is added; '0' if none was made), 2 status,
--       3 result, 4 time of the attempt, 5 time of the next attempt ('' for none), 6 the same in ms, 7 now in ms, 8 seconds for which a delivery is kept,
--       9 most failed deliveries, 10 field of the totals that counts failed attempts;
--       then the ids of the records
-- Returns the number of records that were changed
--
-- A later attempt may have been claimed since. Its result counts, unless this attempt has sent the delivery.

local changed = 0
for i = 4, #KEYS do
  local id, record = ARGV[10 + i - 3], KEYS[i]
  local status = redis.call('HGET', record, 'status')
  local is_open = status == 'pending' or status == 'retrying'
  local is_current = ARGV[1] == '' or redis.call('HGET', record, 'attempts') == ARGV[1]
  if is_open and (is_current or ARGV[2] == 'sent') then
    redis.call('HSET', record, 'status', ARGV[2], 'result', ARGV[3], 'claimed_until', '0')
    if ARGV[1] ~= '0' then redis.call('HSET', record, 'tried_at', ARGV[4]) end
    if ARGV[1] == '' then redis.call('HINCRBY', record, 'attempts', 1) end
    if ARGV[2] == 'sent' then redis.call('HSET', record, 'sent_at', ARGV[4]) end
    if ARGV[5] == '' then
      redis.call('ZREM', KEYS[1], id)
      redis.call('HINCRBY', KEYS[2], ARGV[2], 1)
      redis.call('EXPIRE', record, ARGV[8])
      if ARGV[2] == 'given_up' or ARGV[2] == 'bounced' then
        redis.call('ZADD', KEYS[3], ARGV[7], id)
        redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -tonumber(ARGV[9]) - 1)
      end
    else
      redis.call('HSET', record, 'due_at', ARGV[5])
      redis.call('ZADD', KEYS[1], ARGV[6], id)
    end
    changed = changed + 1
  end
end
local has_failed = ARGV[2] == 'retrying' or (ARGV[2] == 'given_up' and ARGV[1] ~= '')
if changed > 0 and has_failed then redis.call('HINCRBY', KEYS[2], ARGV[10], 1) end
return changed
