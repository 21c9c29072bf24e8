import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.tables.jsonpath import BadPath, first_result, parse

THING = {
    "text": "abc",
    "whole": 7,
    "null": None,
    "list": ["first", "second", "third"],
    "nested": [[1, 2], [3, 4]],
    "none": [],
    "truths": [False, True],
    "a.b": "dotted",
    "it's": "quoted",
    "map": {"y": 2, "x": 1},
    "items": [
        {"type": "A", "status": "True", "n": 3},
        {"type": "B", "status": "False", "n": 5, "extra": 1},
        {"type": "C", "status": "True", "n": 7.0},
    ],
}
FOUND = [
    (".text", "abc", "a field"),
    ("$.text", "abc", "from the root"),
    ("@.text", "abc", "from here"),
    (". text", None, "a field without a name"),
    (".map.x", 1, "fields in a row"),
    (r".a\.b", "dotted", "a point within a name"),
    (r"['a\.b']", "dotted", "the same in quotes"),
    ("['map','whole'].x", 1, "a choice of fields"),
    (".list[0]", "first", "an element"),
    (".list[-1]", "third", "from the end"),
    (".list[1:]", "second", "from one on"),
    (".list[:-1]", "first", "up to one"),
    (".list[-2:]", "second", "the last two"),
    (".list[1:3:2]", "second", "every second"),
    (".list[*]", "first", "all"),
    (".list[5,0]", None, "one of several that is not there"),
    (".list[2,0]", "third", "a choice of elements"),
    (".list[]", "first", "none named"),
    (".nested[1][0]", 3, "elements of elements"),
    (".map.*", 1, "any field, the first by name"),
    (".text.*", "97", "a text is its bytes"),
    (".whole.*", None, "a number holds nothing"),
    ("..status", "True", "anywhere"),
    ("..n", 3, "anywhere, numbers too"),
    (".items..extra", 1, "anywhere below"),
    (".missing", None, "nowhere"),
    (".text.more", None, "below a text"),
    (".null.more", None, "below nothing"),
    (".null[0]", None, "an element of nothing"),
    (".none[0]", None, "beyond the end"),
    (".list[7]", None, "far beyond the end"),
    (".list[-7]", None, "before the beginning"),
    (".list[2:1]", None, "backwards"),
    (".list[1:1]", None, "none of them"),
    (".list[0:9]", None, "more than there are"),
    (".list[0:3:0]", None, "a step of nothing"),
    (".text[0]", None, "an element of a text"),
    ('.items[?(@.type=="B")].status', "False", "those that are"),
    (".items[?(@.type=='B')].status", "False", "single quotes"),
    ('.items[?(@.type!="A")].type', "B", "those that are not"),
    (".items[?(@.n>3)].type", None, "numbers of two kinds cannot be compared"),
    (".items[0:2][?(@.n>3)].type", None, "elements are no list"),
    (".items[?(@.n<5)].type", None, "not even if the first would do"),
    ('.items[?(@.type<"B")].type', "A", "texts are in order"),
    ('.items[?(@.type>="C")].type', "C", "texts are in order"),
    (".items[?(@.extra)].type", "B", "those that have"),
    (".items[?(@.missing)].type", None, "those that have not"),
    (".items[?(@.type[0])].type", "A", "what goes astray is there"),
    (".items[?(@.extra==1)].type", "B", "those without do not count"),
    (".items[?(@.missing==1)].type", None, "nor does what is nowhere"),
    (".items[?(@.extra==@.missing)].type", None, "on either side"),
    (".items[?(@.*==1)].type", None, "several cannot be compared"),
    ('.items[?(@.type==="A")].type', None, "an operator that does not exist"),
    (".map[?(@.x)]", None, "only lists are filtered"),
    (".list[?(@==true)]", None, "a text is no truth"),
    (".truths[?(@==true)]", True, "truths can be equal"),
    (".truths[?(@>=true)]", None, "but not larger"),
    ('.text}{"quoted"', "abc", "a second block"),
    (".text}{.text[0]", None, "a second block that goes astray"),
    (".text range", None, "a loop, which columns have none of"),
    (".text 5", 5, "a number"),
    (".text -1.5", -1.5, "a fraction"),
    (".text true", True, "a truth"),
    ('.text "b"', "b", "a text"),
    (r'.text "\u0041\x42\103\n\""', 'ABC\n"', "a text with escapes"),
    (r".text 'it\'s'", "it's", "a quote within quotes"),
    ("", THING, "nothing at all"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "why"), FOUND, ids=[f"{row[2]}: {row[0]}" for row in FOUND])
def test_where_a_path_leads(path, value, why):
    assert first_result(parse("{" + path + "}"), THING) == (value, value is not None)


BAD = [
    ".list[?(@.x, 1)]",
    '.list[?(@.x=~"a")]',
    ".list[", ".list[\n0]", ".list[a]", ".list[1:2:3:4]", ".list[1, x]", ".list[?(@.a", ".list[?(@.a)", ".list[?(@.a\n)]",
    ".....a", ".a & b", ".a\nb", "'open", "'o\npen'", ".a +", ".a 1.2.3", ".a ٣", r".a '\q'", r""".a '\"'""",
    r".a '\777'", r".a '\UFFFFFFFF'", "['a' b", ".list[99999999999999999999]", ".list[--1]",
]  # fmt: skip


@pytest.mark.parametrize("path", BAD)
def test_what_is_no_path_is_refused(path):
    with pytest.raises(BadPath):
        parse("{" + path + "}")


def test_a_block_has_to_end():
    with pytest.raises(BadPath):
        parse("{.a")


def test_text_around_blocks_is_a_result_of_its_own():
    assert first_result(parse("a{.x}b"), {}) == ("a", True)
    assert first_result(parse(""), {}) == (None, False)


def test_paths_that_look_everywhere_again_and_again_lead_nowhere():
    deep = {"a": 1}
    for _ in range(60):
        deep = {"a": deep, "b": [deep]}
    assert first_result(parse("{..a..a..a..a..a..a}"), deep) == (None, False)
    wide = {"list": [[0] * 400] * 400}
    assert first_result(parse("{.list[*][*]}"), wide) == (None, False)


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc.x"), inner, max_size=4),
)
STEPS = [".a", ".b", "..", ".*", "[0]", "[-1]", "[:]", "[1:2]", "[*]", "[0,1]", "['a']"]
FILTERS = ["[?(@.a)]", '[?(@.a=="x")]', "[?(@.a>1)]", "[?(@.a!=@.b)]", "[?(@<=true)]", "[?(@>@)]"]
SCRAPS = [" ", "@", "$", "1", "'t'", "}{", "range", "end", "\\", "[", "]", "{", "}", ")", '"']
pieces = st.sampled_from([*STEPS, *FILTERS, *SCRAPS])


@given(st.lists(pieces, max_size=6).map("".join), json)
def test_every_path_leads_somewhere_or_nowhere_in_every_value(path, value):
    try:
        blocks = parse("{" + path + "}")
    except BadPath:
        return
    found, there = first_result(blocks, value)
    assert there or found is None
