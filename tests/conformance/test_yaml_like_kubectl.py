"""What kubectl reads, we read, to the same values; what it prints, we print.

kubectl works on files alone here (`patch --local` with an empty patch), so no server is needed. Where we differ on
purpose, both sides of the difference are pinned down at the end.
"""

import subprocess
from functools import cache
from textwrap import indent

import pytest

from plumbline.base.documents import dump_yaml, load_documents
from plumbline.base.errors import BadDocument
from plumbline.base.json import decode, encode

from .real import programs

pytestmark = pytest.mark.conformance

HEAD = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: thing}\n"

SCALARS = (
    """
text|plain text|a:b|a#b|nginx:1.27|-a|--|a - b|/x|\\n|=|$x|(x)|^|;|x!|x?|<|<<|''|"a\\tb"|"\\x41\\u00e9\\0"|'it''s'|'null'|"1"
y|Y|yes|Yes|YES|yEs|n|N|no|No|NO|nO|on|On|ON|oN|off|Off|OFF|true|True|TRUE|tRUE|false|False|FALSE|t|f|o|T
~|null|Null|NULL|nULL|nil|none|
0|-0|+0|00|1|-1|+1|+-1|12|1_000|1__0|1_|-_1|+_|_1|1,000|1 000
0x1F|0X1f|-0x1F|+0x1F|0x_F|0x|0xG|0xFFFFFFFFFFFFFFFF|0xFFFFFFFFFFFFFFFFF|-0x8000000000000000|-0x8000000000000001|0x1p4|0x1.8p1
010|-010|+010|0010|08|09|-08|0o17|0O17|0o8|0o|0_7|0777777777777777777777|01777777777777777777777|02000000000000000000000
0b101|0B101|-0b101|+0b101|0b|0b2|0b-101|0b+101|-0b-101|0B-101|0b_1
9223372036854775807|9223372036854775808|-9223372036854775808|-9223372036854775809|18446744073709551615|18446744073709551616
+9223372036854775808|99999999999999999999999999|9007199254740993|1234567890123456789
1.0|1.5|-1.5|+1.5|1.|.5|-.5|+.5|.5_5|.5_|._5|.|..|...x|1.2.3|1_0.5_0|0.1|-0.0|0.0|01.5|00.5
1e3|1E3|1e+3|1e-3|-1e3|1e|1e+|e3|.5e1|.5e1_0|1.e1|1_0e1_0|1e20|1e21|1e22|1e-6|1e-7|1e308|1e309|1e400|-1e400|1e-400|5e-324
4611686018427387904.0|9223372036854774784.0|9223372036854775807.0|-9223372036854775808.0|1e18|1e19|123456789.0|3.14159265358979
.INF.|inf|Inf|+inf|infinity|nan|NaN|.Nan|.iNF
1:30|190:20:30|12:30:45.5|2001-01-01|2001-1-1|2001-13-45|2001-01-01T00:00:00Z|2001-12-14t21:59:43.10-05:00|2001-12-14 21:59:43
!!str 1|!!str yes|!!str|!!str ''|! 1|! "1"|! x|!!int 12|!!int 0x10|!!int "3"|!!float 3|!!float 1.5|!!float "0.5"|!!bool yes|!!bool "no"
!!null ~|!!null ''|!!null null|!!timestamp 2001-01-01|!!timestamp 2001-1-2|!!binary aGVsbG8=|!!binary ''|!!binary /v8=|!!binary 4pyT
!<tag:yaml.org,2002:str> 5|!<tag:yaml.org,2002:int> 5|!!map {}|!!seq []|!!set {x}|!!omap [x: 1]|! {x: 1}
""".strip()
    .replace("\n", "|")
    .split("|")
)

KEYS = (
    """
a|a b|"a"|'1'|1|-1|+1|1_0|010|08|0x10|0b11|0o7|1.0|1.5|-1.5|1e3|1e6|1000000.0|123456789.0|16777217.0|0.1|0.00001|0.0001|1e39|-1e39|1e-46
3.4028235e38|9223372036854775807|-9223372036854775808|18446744073709551616|yes|no|on|off|true|False|y|n|2001-01-01|1:30|.inf|-.inf|.nan|.5
!!str 1|!!str 1.0|!!binary aGk=|! 1|'<<'|!!str <<|"~"|''|null_|é|x/y.z-1
""".strip()
    .replace("\n", "|")
    .split("|")
)

STRUCTURES = [
    "a: {}\nb: []\nc:\nd: ''\n",
    "a:\n- 1\n- - 2\n  - 3\n-\n",
    "a:\n  - b: 1\n    c: 2\n  -\n    d: 3\n",
    "a: [1, 'x', {b: c}, [d]]\n",
    "a: {b: 1, 'c': 2, \"d\": [3], e}\n",
    "a: {b:1, c:d}\n",
    "a: [b:c, d: e]\n",
    "a: {? b : c, ? d}\n",
    "? a\n: 1\n? b\n? |\n  c\n: 2\n",
    "a: |\n  x\n   y\n\n  z\nb: 1\n",
    "a: |-\n  x\n\n\nb: |+\n  x\n\n\nc: |\n  x\n\n\nd: 1\n",
    "a: >\n  x\n  y\n\n  z\n   w\nb: 1\n",
    "a: >-\n  x\n\n\n  y\n",
    "a: |2\n   x\n  y\n",
    "a: |\n  # no comment\n# comment\nb: 1\n",
    "a: x\n  y\n\n  z\nb: 1\n",
    'a: "x\n  y\n\n  z \\\n  w"\n',
    "a: 'x\n  y\n\n  z'\n",
    "a: b # c\nd: 'e' # f\n# g\n",
    "a:   b  \nc:\t d\n",
    "a: &x {k: [1]}\nb: *x\n",
    "a: &x 1\nb: &x 2\nc: *x\n",
    "a: &x 1.0\n*x : b\n",
    "&k key: 1\nb: *k\n",
    "a: &x\nb: *x\n",
    "b: &b {a: 1, c: 2}\nd: {<<: *b, a: 3}\n",
    "b: &b {a: 1, c: 2}\nd:\n  a: 3\n  <<: *b\n",
    "<<: [{a: 1}, {a: 2, b: 3}]\nc: 4\n",
    "<<: {a: 1}\n<<: {a: 2}\n",
    "<<: {<<: {a: 1}, b: 2}\n",
    "!!merge <<: {a: 1}\n",
    "? <<\n: {a: 1}\n",
    "a: <<\nb: ['<<', <<]\n",
    "a: 1\na: 2\n",
    "a: {b: 1, b: 2}\n",
    "a: 😀\né: ü\n",
    'a: "\\u263A \\U0001F600 \\x0a \\e \\N"\n',
    "a: [\n  1,\n  2,\n]\n",
    "a: {\n  b: 1,\n  c: 2,\n}\n",
    'a: {"b": [1, 2.50, "x\\ty", null, true], "c": 1e3}\n',
    "a: !!map {b: 1}\nc: !!seq [1]\n",
    "a:\n- |\n  x\n- >\n  y\n- z\n",
    "a: ''''\nb: \"'\"\nc: '\"'\n",
    "a: '-'\nb: -x\nc: 'x: y'\n",
    "a: http://x/y#z\nb: x:y\nc: x,y\nd: [x/y]\n",
]

# In the following, @ stands for what every object needs.
STREAMS = [
    "@a: 1",
    "# c\n---\n# d\n@a: 1\n---\n",
    "@a: 1\n--- # x\n@b: 2\n",
    "@a: 1\n---#x\n@b: 2\n",
    "@a: 1\n---  \t\n@b: 2\n",
    "---\n---\n---\n@a: 1\n",
    "---\n...\n---\n@a: 1\n",
    "@a: 1\n...\n---\n@b: 2\n...\n",
    "@a: 1\n---\nnull\n---\n~\n---\n@b: 1\n",
    "@a: 1\r\nb: |\r\n  x\r\n  z\r\n---\r\n@c: 1\r\n",
    "@a: |\n  x\n  z",
    "@a: |+\n  x\n\n ",
    "@a: |-\n  x\n  z",
    "@a: x\rb: z\n",
    "@a: |\r\r\n  x\n",
    "\ufeff@a: 1\n",
    "\ufeff---\n@a: 1\n",
    "@a: 1\n---\n\ufeff@b: 1\n",
]

JSON = [
    "{@}",
    " \n{@}\n\n",
    "{@}{@}",
    "{@} \n {@}\n{@}",
    "{@}\n---\n{@}",
    "---\n{@}\n---\n{@}\n",
    "{@, 'a': 1.0, 'b': 1e3, 'c': 1e21, 'd': 9223372036854775808, 'e': -0.0, 'f': 1e-7, 'g': 1.50}",
    "{@, 'a': '\\u00e9 \\ud83d\\ude00 \\/ \\b'}",
    "{@, 'a': 1, 'a': 2}",
    "{@, 'a': [1,2,],}",
    "{@, 'a': x, # c\n b: yes}",
    "\ufeff{@}",
]

REFUSED = [
    "~: x",
    "null: x",
    ": x",
    "18446744073709551615: x",
    "? [a]\n: b",
    "? {a: b}\n: c",
    "{{ .Values.x }}: 1",
    "a: {{ .Values.x }}",
    "a: .nan",
    "a: .inf",
    "a: -.INF",
    "a: [.inf]",
    "a: *x",
    "a: &x [*x]",
    "a: &x {b: *x}",
    "a: &x {<<: *x}",
    "<<: 1",
    "<<: ~",
    "<<: [1]",
    "<<: [[{a: 1}]]",
    "a: &a [{x: 1}]\n<<: *a",
    "a: &a 1\n<<: *a",
    "a: b: c",
    "a:\n\tb: 1",
    "a: [1",
    "a: {b",
    "a: 'x",
    'a: "x',
    'a: "\\q"',
    'a: "\\ud800"',
    "a: @x",
    "a: `x`",
    "a: %x",
    "a: ,x",
    "a: ]",
    "a: - b",
    "a: |x\n  y",
    "a\nb: 1",
    "a: 1\n b: 2",
    "a: !!int x",
    "a: !!int 1.5",
    "a: !!bool 1",
    "a: !!null x",
    "a: !!float 18446744073709551615",
    "a: !!timestamp x",
    "a: !!timestamp 2001-02-30",
    "a: !!binary x",
    "a: !!binary aGVs=",
    "a: !x!y z",
    "a: \x00",
    "a: \x07",
    "a: \x7f",
    "--- {a: 1}",
    "---a: 1",
    "a: 1\n--- b",
    "%YAML 1.1\n---\na: 1",
    "%a",
]


@cache
def kubectl(text, form="json"):
    """What kubectl makes of *text*: its output, or None if it refuses."""
    argv = [str(programs() / "kubectl"), "patch", "--local", "-f", "-", "--type=merge", "-p", "{}", "-o", form]
    raw = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run(
        argv, input=raw, capture_output=True, timeout=60, check=False, env={"KUBECONFIG": "/dev/null"}
    )
    return done.stdout.decode() if done.returncode == 0 else None


def objects(printed):
    """The objects that kubectl printed one after the other. It indents, so a brace at the margin is the end of one."""
    assert printed is not None, "kubectl refused"
    return [as_read(decode(f"{piece}\n}}")) for piece in printed.split("\n}\n") if piece.strip()]


def as_read(value):
    """Go prints floats that are whole with all their digits. Where they are beyond int64 they were floats."""
    if isinstance(value, dict):
        return {key: as_read(child) for key, child in value.items()}
    if isinstance(value, list):
        return [as_read(child) for child in value]
    return float(value) if type(value) is int and not -(2**63) <= value < 2**63 else value


def typed(value):
    """So that 1, 1.0 and True differ."""
    if isinstance(value, dict):
        return {key: typed(child) for key, child in value.items()}
    return [typed(child) for child in value] if isinstance(value, list) else (type(value).__name__, value)


def ours(text):
    return [document.value for document in load_documents(text, repeats="ignore")]


def thing(spec):
    return HEAD + "spec:\n" + indent(spec, "  ")


BODIES = (
    [f"v: {scalar}\n" for scalar in SCALARS]
    + [f"v:\n- {scalar}\n" for scalar in SCALARS]
    + [f"{key}: v\n" for key in KEYS]
    + STRUCTURES
)


@pytest.fixture(scope="module")
def read_by_kubectl():
    """Everything in one stream: kubectl starts once, and stops at the first thing that it refuses."""
    return objects(kubectl("---\n".join(thing(body) for body in BODIES)))


def test_there_is_something_to_compare(read_by_kubectl):
    assert len(read_by_kubectl) == len(BODIES) > 500


@pytest.mark.parametrize("index", range(len(BODIES)), ids=[repr(body) for body in BODIES])
def test_scalars_keys_and_structures_have_the_values_of_kubectl(read_by_kubectl, index):
    assert typed(ours(thing(BODIES[index]))) == typed([read_by_kubectl[index]])


@pytest.mark.parametrize("stream", STREAMS, ids=repr)
def test_streams_are_cut_as_kubectl_cuts_them(stream):
    text = stream.replace("@", HEAD)
    assert typed(ours(text)) == typed(objects(kubectl(text)))


@pytest.mark.parametrize("stream", JSON, ids=repr)
def test_json_is_read_as_kubectl_reads_it(stream):
    head = "'apiVersion': 'example.com/v1', 'kind': 'Thing', 'metadata': {'name': 'thing'}"
    text = stream.replace("@", head).replace("'", '"')
    assert typed(ours(text)) == typed(objects(kubectl(text)))


@pytest.mark.parametrize("body", REFUSED, ids=repr)
def test_what_kubectl_refuses_is_refused(body):
    text = body if body.startswith(("-", "%")) else HEAD + body
    assert kubectl(text) is None
    with pytest.raises(BadDocument) as refused:
        load_documents(text)
    assert refused.value.why


PRINTED = [
    {"b": 1, "a": [1, {"x": None}, [], {}, [[2]]], "c": {"d": True}},
    {
        text: text
        for text in (
            "yes",
            "1",
            "1e3",
            "2020-01-01",
            "12:30",
            "~",
            "a b",
            "# x",
            "x: y",
            "- a",
            "'",
            '"',
            "é",
            "😀",
            "\t",
            " x ",
        )
    },
    {"lines": "x\ny\n", "more": "x\n\n", "none": "x\ny", "led": " x\n y\n", "trailing": "x \ny\n"},
    {"long": "word " * 40, "longer": "w" * 200, "both": "word " * 30 + "\nx\n"},
    {"f": 1.5, "g": 1e21, "h": 1234567.5, "i": 1e-7, "j": 0.0001, "k": 1e20, "l": -2.5, "m": 2**63 - 1, "n": -(2**63)},
    dict.fromkeys(["b", "a10", "a9", "A", "10", "9", "a", "a.b", "a-b", "ab", "0x", "100", "110", "a_b", "é"], 1),
    {"a" * 130: 1, "b\nc": 2, "": 3},
]


@pytest.mark.parametrize("spec", PRINTED, ids=range(len(PRINTED)))
def test_what_we_print_is_what_kubectl_prints(spec):
    value = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "thing"}, "spec": spec}
    assert dump_yaml(value) == kubectl(encode(value), "yaml")


KUBECTL_LOSES = [
    (HEAD + "a: 1\n...\nb: 2\n", "text after the end of a document is dropped"),
    ("---\n{HEAD}\n{HEAD}\n", "the second of two flow mappings is dropped"),
    (HEAD + "a: !Ref x\n", "a tag is dropped"),
    (HEAD + "a: !!python/object {x: 1}\n", "a tag is dropped"),
    (HEAD + "a: 1\na: 2\n", "the first of two values is dropped"),
    (HEAD + "1: x\n'1': z\n", "one of two values is dropped, at random"),
    (("\ufeff" + HEAD).encode("utf-16-be"), "UTF-16 in the one byte order that gets through"),
    (HEAD + "a: 1\n\ufeffb: 2\n", "a byte order mark becomes part of a key"),
]


@pytest.mark.parametrize(("text", "why"), KUBECTL_LOSES, ids=[row[1] for row in KUBECTL_LOSES])
def test_what_kubectl_loses_without_a_word_is_refused(text, why):
    if isinstance(text, str):
        text = text.replace("{HEAD}", "{apiVersion: v1, kind: T, metadata: {name: x}}")
    assert kubectl(text) is not None
    with pytest.raises(BadDocument):
        load_documents(text)


@pytest.mark.parametrize(
    ("body", "value"),
    [('a: "x\\/z"', "x/z"), ("a: [x?z]", ["x?z"])],
    ids=["a JSON escape in YAML", "a question mark in brackets"],
)
def test_what_newer_yaml_allows_is_read_although_kubectl_refuses(body, value):
    assert kubectl(HEAD + body) is None
    assert ours(HEAD + body)[0]["a"] == value
