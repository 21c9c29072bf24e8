-- Makes of a fresh Lua 5.2 state the Lua that Argo CD's scripts are written for: the dialect of 5.1 with goto, and of the
-- libraries those that reach nothing. What a script finds is listed here; what is not listed does not exist for it.

local assert, error, getmetatable, ipairs, load, next, pairs, pcall = assert, error, getmetatable, ipairs, load, next, pairs, pcall
local rawequal, rawget, rawset, select, setmetatable, tonumber, tostring, type, xpcall =
  rawequal, rawget, rawset, select, setmetatable, tonumber, tostring, type, xpcall
local concat, pack, unpack = table.concat, table.pack, table.unpack
local format, gsub, lower, sub = string.format, string.gsub, string.lower, string.sub
local floor, huge = math.floor, math.huge
local now, calendar = os.time, os.date

local DEEPEST = 500
local UNKNOWN_TO_OS = {F = "%Y-%m-%d", T = "%H:%M:%S", R = "%H:%M", D = "%m/%d/%y"}
local KNOWN_TO_OS = "aAbBcdHIjmMpSUwWxXyYzZ"

local function chosen(from, names)
  local to = {}
  for name in string.gmatch(names, "%w+") do
    to[name] = from[name]
  end
  return to
end

-- Like the one of the system, but in UTC wherever it runs, and not offended by flags that it does not know.
local function date(form, time)
  form = gsub(form or "%c", "^!", "")
  if sub(form, 1, 2) == "*t" then
    return calendar("!*t", time)
  end
  return (gsub(form, "%%(.)", function(flag)
    if flag == "%" then
      return "%"
    elseif flag == "P" then
      return lower(calendar("!%p", time))
    elseif UNKNOWN_TO_OS[flag] then
      return calendar("!" .. UNKNOWN_TO_OS[flag], time)
    elseif string.find(KNOWN_TO_OS, flag, 1, true) then
      return calendar("!%" .. flag, time)
    end
    return "%" .. flag
  end))
end

-- A finaliser would run when the state is closed, with no deadline over it; 5.1 has none for tables.
local function set_metatable(object, metatable)
  if type(metatable) == "table" and rawget(metatable, "__gc") ~= nil then
    error("__gc is not supported", 0)
  end
  return setmetatable(object, metatable)
end

local function environment(open_libraries)
  local env = {
    _VERSION = "Lua 5.1", assert = assert, error = error, getmetatable = getmetatable, ipairs = ipairs, next = next,
    pairs = pairs, pcall = pcall, rawequal = rawequal, rawget = rawget, rawset = rawset, select = select,
    setmetatable = set_metatable, tonumber = tonumber, tostring = tostring, type = type, unpack = unpack, xpcall = xpcall,
  }
  env._G = env
  env.collectgarbage = function() return 0 end
  env.print = function() end
  -- Text only: the interpreter trusts bytecode, and nobody should.
  env.load = function(chunk, name) return load(chunk, name or "=(load)", "t", env) end
  env.loadstring = function(chunk, name) return load(tostring(chunk), name or chunk, "t", env) end
  env.table = chosen(table, "concat insert remove sort")
  env.table.getn = function(list) return #list end
  env.table.maxn = function(list)
    local largest = 0
    for key in pairs(list) do
      if type(key) == "number" and key > largest then largest = key end
    end
    return largest
  end
  env.os = {time = now, date = date}
  if open_libraries then
    env.string = chosen(string, "byte char find format gmatch gsub len lower match rep reverse sub upper")
    env.math = chosen(math, "abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp huge ldexp log log10 max min modf pi pow rad random randomseed sin sinh sqrt tan tanh")
    env.math.mod = math.fmod
    env.coroutine = chosen(coroutine, "create resume running status wrap yield")
    env.os.clock, env.os.difftime = os.clock, os.difftime
  end
  getmetatable("").__index = env.string
  local loaded = {_G = env, table = env.table, os = env.os, string = env.string, math = env.math, coroutine = env.coroutine}
  env.package = {loaded = loaded, preload = {}, path = "", cpath = ""}
  env.require = function(name)
    if loaded[name] == nil then
      error("module '" .. tostring(name) .. "' not found", 0)
    end
    return loaded[name]
  end
  return env
end

local function escaped(character)
  if character == '"' or character == "\\" then
    return "\\" .. character
  end
  return format("\\u%04x", string.byte(character))
end

local encode

local function encode_list(list, count, out, seen, depth)
  for index = 1, count do
    out[#out + 1] = index == 1 and "[" or ","
    encode(rawget(list, index), out, seen, depth)
  end
  out[#out + 1] = "]"
end

local function encode_map(map, out, seen, depth)
  local separator = "{"
  for key, value in next, map do
    out[#out + 1] = separator
    separator = ","
    encode(key, out, seen, depth)
    out[#out + 1] = ":"
    encode(value, out, seen, depth)
  end
  out[#out + 1] = "}"
end

-- A table that is met twice is refused even where it is no cycle: a small script could otherwise make a huge text of it.
local function encode_table(value, out, seen, depth)
  if seen[value] then
    error("a table that holds itself, or is held twice, cannot become JSON", 0)
  elseif depth > DEEPEST then
    error("tables nested deeper than " .. DEEPEST .. " cannot become JSON", 0)
  end
  seen[value] = true
  local numbers, names, others = 0, 0, 0
  for key in next, value do
    if type(key) == "number" then numbers = numbers + 1 elseif type(key) == "string" then names = names + 1 else others = others + 1 end
  end
  if others > 0 or (numbers > 0 and names > 0) then
    error("a table with keys of several kinds cannot become JSON", 0)
  elseif names > 0 then
    return encode_map(value, out, seen, depth + 1)
  end
  for index = 1, numbers do
    if rawget(value, index) == nil then
      error("a list with gaps cannot become JSON", 0)
    end
  end
  if numbers == 0 then
    out[#out + 1] = "[]"
  else
    encode_list(value, numbers, out, seen, depth + 1)
  end
end

function encode(value, out, seen, depth)
  local kind = type(value)
  if kind == "table" then
    encode_table(value, out, seen, depth)
  elseif kind == "string" then
    out[#out + 1] = '"' .. gsub(value, '[%z\1-\31"\\]', escaped) .. '"'
  elseif kind == "number" then
    if value ~= value or value == huge or value == -huge then
      error(tostring(value) .. " cannot become JSON", 0)
    end
    out[#out + 1] = format(value == floor(value) and value < 1e21 and value > -1e21 and "%.0f" or "%.17g", value)
  elseif kind == "boolean" or kind == "nil" then
    out[#out + 1] = value == nil and "null" or tostring(value)
  else
    error("a " .. kind .. " cannot become JSON", 0)
  end
end

local function answer(chunk)
  local results = pack(chunk())
  local out = {}
  -- Of several values the last one counts, as it does where these scripts come from.
  encode(results[results.n], out, {}, 1)
  return concat(out)
end

-- Whether it worked, and the answer as JSON or what went wrong.
return function(source, open_libraries, globals)
  local env = environment(open_libraries)
  for name, value in pairs(globals) do
    env[name] = value
  end
  local chunk, problem = load(source, "=script", "t", env)
  if not chunk then
    return false, problem
  end
  local worked, result = pcall(answer, chunk)
  if worked or type(result) == "string" then
    return worked, result
  end
  local told, words = pcall(tostring, result)
  return false, told and type(words) == "string" and words or "an error without words"
end
