"""Lua as Argo CD's scripts expect it. The worker's own code runs here in-process: nothing in these tables is hostile."""

import msgspec
import pytest

from plumbline.base.evaluator.wire import Exceeded, Failed, Given, Job, LuaTask
from plumbline.base.evaluator.worker import perform


def lua(script, obj=None, *, open_libs=False):
    """What a script gives, or the words of its failure."""
    task = LuaTask(script, msgspec.json.encode({"obj": obj, "actionParams": {}}), open_libs)
    (outcome,) = perform(Job(task, 10, 1 << 20))
    match outcome:
        case Given(texts):
            return msgspec.json.decode(texts[0])
        case Failed(message) | Exceeded(message):
            return message


HEALTH = """
local hs = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for i, condition in ipairs(obj.status.conditions) do
    if condition.status ~= "True" then goto continue end
    if condition.type == "Ready" then
      hs.status = "Healthy"
      hs.message = condition.message
      return hs
    end
    ::continue::
  end
end
hs.status = "Progressing"
hs.message = "Waiting for " .. obj.metadata.name .. " at generation " .. obj.metadata.generation
return hs
"""


def test_a_health_script_runs():
    ready = {"status": {"conditions": [{"type": "Ready", "status": "True", "message": "all well"}]}}
    assert lua(HEALTH, ready) == {"status": "Healthy", "message": "all well"}
    pending = {
        "metadata": {"name": "x", "generation": 3},
        "status": {"conditions": [{"type": "Ready", "status": "False"}]},
    }
    assert lua(HEALTH, pending) == {"status": "Progressing", "message": "Waiting for x at generation 3"}


VALUES = [
    ("", None, "nothing is nil"),
    ("return nil", None, "nil is null"),
    ("return true", True, "booleans"),
    ("return 3", 3, "numbers without fraction come back without one"),
    ("return 2^40", 1 << 40, "large ones too"),
    ("return -0.5", -0.5, "fractions"),
    ("return 1e300", 1e300, "exponents"),
    ("return 'ü\\n\\t\\0\"\\\\'", 'ü\n\t\0"\\', "strings with anything in them"),
    ("return '\\255'", "\ufffd", "bytes that are no text are replaced, as Go does"),
    ("return {}", [], "an empty table is an empty list"),
    ("return {a={}}", {"a": []}, "within others too"),
    ("return {1, 2, {x=1}}", [1, 2, {"x": 1}], "lists and maps by their keys"),
    ("local t = {} t[2] = 'b' t[1] = 'a' return t", ["a", "b"], "a list however it was filled"),
    ("return 1, 2, 3", 3, "of several values the last"),
    ("return {['1']=1}", {"1": 1}, "a number as text is a name"),
]


@pytest.mark.parametrize(("script", "expected", "why"), VALUES, ids=[why for _, _, why in VALUES])
def test_values_come_back_as_json(script, expected, why):
    assert lua(script) == expected


REFUSED = [
    ("return {1, nil, 3}", "gaps", "a hole in a list"),
    ("return {1, x=2}", "several kinds", "a list that is a map as well"),
    ("return {[true]=1}", "several kinds", "a key that JSON does not have"),
    ("return {[1.5]=1}", "gaps", "an index that is none"),
    ("return print", "a function", "a function"),
    ("return 0/0", "nan", "not a number"),
    ("return {1/0}", "inf", "infinity"),
    ("local t = {} t.x = t return t", "held twice", "a cycle"),
    ("local t = {} return {t, t}", "held twice", "the same twice, which Argo CD refuses too"),
    ("local t = {} for i = 1, 600 do t = {t} end return t", "deeper than 500", "depth"),
    ("error('my words')", "script:1: my words", "an error with its line"),
    ("error('my words', 0)", "my words", "an error without"),
    ("error({})", "table: ", "an error that is a table"),
    ("error(setmetatable({}, {__tostring = error}))", "without words", "an error that fails when asked"),
    ("error()", "nil", "an error of nothing"),
    ("return obj.a.b.c", "attempt to index field 'a'", "a missing field"),
    ("if then", "script:1:", "a syntax error"),
    ("\x1bLua", "attempt to load a binary chunk", "bytecode"),
]


@pytest.mark.parametrize(("script", "words", "why"), REFUSED, ids=[why for _, _, why in REFUSED])
def test_what_cannot_be_answered_is_told_in_words(script, words, why):
    assert words in lua(script, {})


def test_objects_arrive_with_null_as_nothing():
    obj = {"list": [1, None, 2], "nothing": None, "deep": {"also": None}, "text": "ü", "yes": True, "half": 0.5}
    assert lua("return obj", obj) == {"list": [1, 2], "deep": [], "text": "ü", "yes": True, "half": 0.5}


def test_numbers_beyond_what_lua_holds_lose_digits_as_they_do_in_go():
    assert lua("return obj", {"n": 2**60 + 1, "m": 2**70}) == {"n": 2**60, "m": float(2**70)}


LIBRARIES = [
    ("return table.getn({1, 2})", 2, "5.1's getn"),
    ("return table.maxn({[7]=1, x=2})", 7, "5.1's maxn"),
    ("return table.concat({'a', 'b'}, '-')", "a-b", "concat"),
    ("local t = {3, 1, 2} table.sort(t) table.insert(t, 4) table.remove(t, 1) return t", [2, 3, 4], "the others"),
    ("return {unpack({1, 2, 3})}", [1, 2, 3], "5.1's unpack"),
    ("return loadstring('return 1 + 1')()", 2, "5.1's loadstring"),
    ("return load(function() return nil end) ~= nil", True, "load"),
    ("return select(2, loadstring('x'))", '[string "x"]:1: syntax error near <eof>', "and its failure"),
    ("return select(2, pcall(error, 'x'))", "x", "pcall"),
    ("return ({xpcall(error, function() return 'handled' end)})[2]", "handled", "xpcall"),
    ("return _VERSION", "Lua 5.1", "what it takes itself for"),
    ("print('x') return collectgarbage('count')", 0, "no printing, no collecting"),
    ("x = 1 return _G.x", 1, "globals"),
    ("return setmetatable({}, {__index = {a = 1}}).a", 1, "metatables"),
    ("return os.date('!%Y-%m-%dT%H:%M:%SZ', 0)", "1970-01-01T00:00:00Z", "dates"),
    ("return os.date('%F %T %R %D %P %p %%', 0)", "1970-01-01 00:00:00 00:00 01/01/70 am AM %", "dates, more"),
    ("return os.date('%Q', 0)", "%Q", "flags that nobody knows stay"),
    ("return os.date('*t', 86399).hour", 23, "dates as tables"),
    ("return os.time({year=1970, month=1, day=2, hour=0})", 86400, "times, in UTC"),
    ("return type(os.time())", "number", "now"),
    ("local os = require('os') return os.date('%Y', 0)", "1970", "require, of what is there"),
    ("return type(require('table').insert)", "function", "require, of another"),
]


@pytest.mark.parametrize(("script", "expected", "why"), LIBRARIES, ids=[why for _, _, why in LIBRARIES])
def test_the_library_is_that_of_lua_5_1_as_far_as_it_reaches_nothing(script, expected, why):
    assert lua(script) == expected


OPEN = [
    ("return ('abc'):upper()", "ABC"),
    ("return string.format('%d-%s-%5.1f', 3, 'x', 2.25)", "3-x-  2.2"),
    ("return string.match('v1.2', 'v(%d)')", "1"),
    ("return math.floor(2.7) + math.mod(7, 4)", 5),
    ("return coroutine.wrap(function() coroutine.yield(7) end)()", 7),
]


@pytest.mark.parametrize(("script", "expected"), OPEN)
def test_open_libraries_add_strings_mathematics_and_coroutines(script, expected):
    assert lua(script, open_libs=True) == expected
    assert "attempt to index" in lua(script)


def test_open_libraries_add_clocks():
    assert lua("return os.clock() >= 0 and os.difftime(3, 1)", open_libs=True) == 2
    assert "attempt to call" in lua("return os.clock()")


ABSENT = "io debug python package.loadlib dofile loadfile newproxy getfenv setfenv module bit32 jit ffi os.execute os.getenv os.exit os.remove os.rename os.tmpname os.setlocale string.dump package.searchers table.unpack rawlen"


@pytest.mark.parametrize("name", ABSENT.split())
@pytest.mark.parametrize("open_libs", [False, True])
def test_what_could_reach_out_is_not_there(name, open_libs):
    assert (
        lua(
            f"return type({name}) == 'nil'" if open_libs or "string" not in name else "return true", open_libs=open_libs
        )
        is True
    )


REACHING = [
    ("return require('io')", "not found"),
    ("return require('python')", "not found"),
    ("return package.loaded.python == nil and package.loaded.io == nil", True),
    ("return getmetatable('').__index == string", True),
    ("return getmetatable('').__index.dump == nil", True),
    ("return select(2, load('\\27Lua'))", "attempt to load a binary chunk (mode is 't')"),
    ("return setmetatable({}, {__gc = print})", "__gc is not supported"),
    ("for k, v in pairs(obj) do return type(k) .. type(v) end", "stringstring"),
    ("return type(getmetatable(obj))", "nil"),
]


@pytest.mark.parametrize(("script", "expected"), REACHING)
def test_no_way_leads_to_python_or_the_system(script, expected):
    got = lua(script, {"a": "b"}, open_libs=True)
    assert got == expected or (isinstance(expected, str) and expected in str(got))


def test_no_script_finds_what_another_left():
    assert lua("leak = 1 string.leak = 1 table.insert = nil getmetatable('').leak = 1 return leak", open_libs=True) == 1
    assert lua("return leak == nil and string.leak == nil and getmetatable('').leak == nil", open_libs=True) is True
    assert lua("return type(table.insert)") == "function"


def test_memory_is_bounded_even_against_a_script_that_swallows_the_error():
    assert "memory" in lua("return string.rep('x', 1e9)", open_libs=True)
    assert lua("return pcall(string.rep, 'x', 1e9), 'went on'", open_libs=True) == "went on"
    assert "memory" in lua("local t = {} while true do t[#t + 1] = {t} end")
