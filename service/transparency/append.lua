-- Append leaves to the tree of the transparency log, or change nothing.
--
-- Every check comes before the first write. All keys have one hash tag, so they share a slot.
--
-- KEYS  size of the tree, logged heads, the hashes of the entries that are written, then the chunks of nodes
--       that are written
-- ARGV  1 expected size, 2 new size, 3 number of heads, 4 of hashes of entries; then, for each head, the game,
--       the value that is stored for it ('' for none) and the new value, the index in KEYS of the hash of its
--       entry, the index of the leaf, and the entry; then, for each chunk, the offset and the hashes to write
--       there
-- Returns 1 if the leaves were appended, 0 if the tree or a head has changed

local function text(value) return value or '' end

local size = redis.call('GET', KEYS[1]) or '0'
if size ~= ARGV[1] then return 0 end
local head_count, entry_keys = tonumber(ARGV[3]), tonumber(ARGV[4])
for i = 0, head_count - 1 do
  if text(redis.call('HGET', KEYS[2], ARGV[5 + 6 * i])) ~= ARGV[6 + 6 * i] then return 0 end
end

for i = 0, head_count - 1 do
  redis.call('HSET', KEYS[2], ARGV[5 + 6 * i], ARGV[7 + 6 * i])
  redis.call('HSET', KEYS[tonumber(ARGV[8 + 6 * i])], ARGV[9 + 6 * i], ARGV[10 + 6 * i])
end
local next_arg = 5 + 6 * head_count
for i = 3 + entry_keys, #KEYS do
  redis.call('SETRANGE', KEYS[i], ARGV[next_arg], ARGV[next_arg + 1])
  next_arg = next_arg + 2
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
