-- What a player has not read yet in some games.
--
-- KEYS  1 the players whom the player has muted, then the messages of each game
-- ARGV  1 the player, 2 the most messages of a game that are examined
-- Returns for each game {dismissed or '', how many messages are unread, the number of the last unread one or 0,
--         that message as JSON or '', the number of the last message of all}. Erased messages and those of muted
--         players are not counted as unread.

local player, limit = ARGV[1], tonumber(ARGV[2])
local result = {}

for game = 2, #KEYS do
  local key = KEYS[game]
  local marks = redis.call('HMGET', key, 'last', 'read/' .. player, 'dismissed/' .. player)
  local last, read = tonumber(marks[1] or '0'), tonumber(marks[2] or '0')
  local count, number, newest = 0, 0, ''
  for candidate = last, math.max(read + 1, last - limit + 1), -1 do
    local stored = redis.call('HGET', key, tostring(candidate))
    if stored then
      local message = cjson.decode(stored)
      local is_erased = message.text == nil or message.text == cjson.null
      if not is_erased and message.author ~= player
          and not redis.call('ZSCORE', KEYS[1], message.author) then
        count = count + 1
        if number == 0 then number, newest = candidate, stored end
      end
    end
  end
  result[game - 1] = {marks[3] or '', count, number, newest, last}
end

return result
