import { SLOTS } from './sliding-window.js';

/**
 * Counts one call in several sliding windows at once (decision 0038): the same slots as `SlidingWindow`, by the clock of
 * Redis, so that processes whose clocks differ count alike. Each key is a hash of slot number → calls and is gone soon
 * after its window. Nothing is counted unless every window has room.
 *
 * KEYS: one for each window. ARGV: limit and window in milliseconds of each.
 * Answers 1 or 0 for allowed, then used, reset and wait in milliseconds of each window.
 */
export const TAKE_SCRIPT = `
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local slots = ${SLOTS}
local answer = { 1 }
local present = {}
for i, key in ipairs(KEYS) do
  local limit, slotMs = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i]) / slots
  local slot = math.floor(now / slotMs)
  local stored = redis.call('HGETALL', key)
  local used, counted, gone = 0, {}, {}
  for j = 1, #stored, 2 do
    local at, calls = tonumber(stored[j]), tonumber(stored[j + 1])
    if at >= slot - slots then
      used = used + calls
      counted[#counted + 1] = { at, calls }
    else
      gone[#gone + 1] = stored[j]
    end
  end
  if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
  table.sort(counted, function(a, b) return a[1] < b[1] end)
  local function untilGivenBack(calls)
    if calls <= 0 or used == 0 then return 0 end
    local given, at = 0, 0
    for _, entry in ipairs(counted) do
      given, at = given + entry[2], entry[1]
      if given >= calls then break end
    end
    return math.max(1, math.ceil((at + slots + 1) * slotMs - now))
  end
  local wait = untilGivenBack(used + 1 - limit)
  if wait > 0 then answer[1] = 0 end
  present[i] = { slot, (slots + 1) * slotMs - now % slotMs }
  answer[3 * i - 1], answer[3 * i], answer[3 * i + 1] = used, untilGivenBack(1), wait
end
if answer[1] == 1 then
  for i, key in ipairs(KEYS) do
    redis.call('HINCRBY', key, present[i][1], 1)
    redis.call('PEXPIRE', key, math.ceil(present[i][2]) + 1000)
    answer[3 * i - 1] = answer[3 * i - 1] + 1
    if answer[3 * i] == 0 then answer[3 * i] = math.ceil(present[i][2]) end
  end
end
return answer
`;
