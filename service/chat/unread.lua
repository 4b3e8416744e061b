-- What a player has not read yet in some games.
--
-- KEYS  the messages of each game, then, unless ARGV 3 is '1', the players whom the player has muted
-- ARGV  1 the player, 2 the most messages of a game that are examined, 3 '1' if the other arguments are the muted
--       players: in a cluster, their key is in another slot
-- Returns for each game {dismissed or '', how many messages are unread, the number of the last unread one or 0,
--         that message as JSON or '', the number of the last message of all}. Erased messages and those of muted
--         players are not counted as unread.

local player, limit = ARGV[1], tonumber(ARGV[2])
local result = {}
local muted, games = {}, #KEYS
if ARGV[3] == '1' then
  for i = 4, #ARGV do muted[ARGV[i]] = true end
else
  games = games - 1
end
local function is_muted(author)
  if ARGV[3] == '1' then return muted[author] end
  return redis.call('ZSCORE', KEYS[#KEYS], author)
end

for game = 1, games do
  local key = KEYS[game]
  local marks = redis.call('HMGET', key, 'last', 'read/' .. player, 'dismissed/' .. player)
  local last, read = tonumber(marks[1] or '0'), tonumber(marks[2] or '0')
  local count, number, newest = 0, 0, ''
  for candidate = last, math.max(read + 1, last - limit + 1), -1 do
    local stored = redis.call('HGET', key, tostring(candidate))
    if stored then
      local message = cjson.decode(stored)
      local is_erased = message.text == nil or message.text == cjson.null
      if not is_erased and message.author ~= player and not is_muted(message.author) then
        count = count + 1
        if number == 0 then number, newest = candidate, stored end
      end
    end
  end
  result[game] = {marks[3] or '', count, number, newest, last}
end

return result
