"""HCL is read as far as it says what exists, with lines, whatever anybody writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.ownership.external import Partial
from plumbline.ownership.hcl import read_hcl
from plumbline.ownership.hcl.expressions import UNKNOWN, value
from plumbline.ownership.hcl.tokens import SIZE_BYTES, template


def read_value(text, **known):
    """The value of an attribute, where `var.x` is what is known of x."""
    expression = read_hcl(f"a = {text}\n").attributes["a"].expression
    return value(expression, lambda reference: known.get(reference.steps[-1], UNKNOWN))


VALUES = [
    ('"orders"', "orders"),
    ('""', ""),
    ("5", 5),
    ("5.25", 5.25),
    ("1e3", 1000.0),
    ("9" * 400, float("inf")),
    ("true", True),
    ("false", False),
    ("null", None),
    ("var.x", "known"),
    ("var.y", UNKNOWN),
    ('"${var.x}"', "known"),
    ('"pre-${var.x}-post"', "pre-known-post"),
    ('"pre-${var.y}-post"', Partial("pre-*-post")),
    ('"pre-${~ var.x ~}-post"', "pre-known-post"),
    ('"${var.n}-${var.b}-${var.z}"', Partial("7-true-*")),
    ('"$${not} %%{it} $5 100%"', "${not} %{it} $5 100%"),
    ('"%{ if var.x }yes%{ endif }"', Partial("*yes*")),
    (r'"a\"b\\c\n\t\r\u00e9\U0001F600\q"', 'a"b\\c\n\t\ré😀q'),
    ('"${lower("A")}-x"', Partial("*-x")),
    ('"${"nested-${var.x}"}"', "nested-known"),
    ('"${"a"}${"b"}"', "ab"),
    ('var.x == "a" ? "b" : "c"', UNKNOWN),
    ('"a" + "b"', UNKNOWN),
    ("-5", UNKNOWN),
    ("lower(var.x)", UNKNOWN),
    ("[]", []),
    ('["a", var.x, 3,]', ["a", "known", 3]),
    ('[\n  "a",\n  # a comment\n  "b"\n]', ["a", "b"]),
    ("[for x in y : x]", UNKNOWN),
    ("{for k, v in y : k => v}", UNKNOWN),
    ("{}", {}),
    ('{ a = 1, "b" = 2, c : 3 }', {"a": 1, "b": 2, "c": 3}),
    ("{\n  a = 1\n  b = { c = var.x }\n}", {"a": 1, "b": {"c": "known"}}),
    ("{ (var.x) = 1 }", UNKNOWN),
    ('{ "${var.x}" = 1 }', UNKNOWN),
    ("{ a }", UNKNOWN),
    ('("orders")', "orders"),
    ("(1) + (2)", UNKNOWN),
    ("a.b.0.c", UNKNOWN),
    ("a[0].b", UNKNOWN),
    ("a.b.", UNKNOWN),
    ("<<EOT\nline ${var.x}\nEOT", "line known\n"),
    ("<<-EOT\n    one\n      two\n    EOT", "one\n  two\n"),
    ("<<-EOT\n  ${var.y}\n  EOT", Partial("  *\n")),
    ("/* b */ 5 // c", 5),
]


@pytest.mark.parametrize(("text", "expected"), VALUES, ids=[row[0][:40] for row in VALUES])
def test_literals_have_their_values_and_everything_else_is_unknown(text, expected):
    found = read_value(text, x="known", n=7, b=True)
    assert found == expected
    assert type(found) is type(expected)


def test_long_texts_name_nothing():
    assert read_value('"' + "a" * 20_000 + '"') == UNKNOWN


DOCUMENT = """\
# first line
terraform {
  required_version = ">= 1.5"
}

resource "aws_db_instance" "main" {
  identifier = "orders" # here
  lifecycle { prevent_destroy = true }
  dynamic "tag" {
    for_each = []
    content {}
  }
}
locals { one = 1 }
resource aws_vpc v {}
"quoted" = 5
a-b = <<X
}
X
"""


def test_blocks_and_attributes_carry_their_lines():
    body = read_hcl(DOCUMENT)
    assert [(block.type, block.labels, block.line) for block in body.blocks] == [
        ("terraform", (), 2),
        ("resource", ("aws_db_instance", "main"), 6),
        ("locals", (), 14),
        ("resource", ("aws_vpc", "v"), 15),
    ]
    database = body.blocks[1].body
    assert database.attributes["identifier"].line == 7
    assert [(block.type, block.line) for block in database.blocks] == [("lifecycle", 8), ("dynamic", 9)]
    assert {name: each.line for name, each in body.attributes.items()} == {"quoted": 16, "a-b": 17}


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm():
    body = read_hcl('\ufeffresource "a_b" "c" {\r\n  x = <<E\r\ntext\r\nE\r\n}\r\n')
    assert body.blocks[0].labels == ("a_b", "c")


BROKEN = [
    ("a = \n5", 2, "a value on the next line"),
    ('resource "a" {', 1, "a block without end"),
    ('a = "open\nb = 1', 1, "quotes that do not close on their line"),
    ('a = "${var', 1, "a hole without end"),
    ("a = <<EOT\ntext", 2, "a heredoc without end"),
    ("/* open", 1, "a comment without end"),
    ("\n\n}", 3, "an end without beginning"),
    ("a b c", 1, "neither block nor attribute"),
    ('a "b" = 1', 1, "an attribute with a label"),
    ("= 5", 1, "a value without name"),
    ('"${x}" = 5', 1, "a name that is computed"),
    ("a = 1 @ 2", 1, "a character that HCL does not have"),
    (r'a = "\uzzzz"', 1, "an escape of no character"),
    (r'a = "\UFFFFFFFF"', 1, "an escape beyond all characters"),
    ('"a', 1, "nothing but an open quote"),
    ("a", 1, "a name alone"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "why"), BROKEN, ids=[row[2] for row in BROKEN])
def test_what_is_no_hcl_is_refused_with_its_line(text, line, why):
    with pytest.raises(BadDocument) as refused:
        read_hcl(text, "main.tf")
    assert refused.value.line == line
    assert str(refused.value).startswith(f"main.tf, line {line}, cannot be read")


def test_nesting_and_size_are_bounded():
    for text in ("[" * 100, '"${' * 100, "a {\n" * 100, "a = " + "(" * 100 + ")" * 100):
        with pytest.raises(LimitExceeded):
            read_hcl(f"a = {text}" if text[0] in '["' else text)
    with pytest.raises(LimitExceeded):
        read_hcl(" " * (SIZE_BYTES + 1))


HOSTILE = [
    'a = "' + "$" * 300_000 + '"\n',
    'a = "' + "\\\\" * 300_000 + '"\n',
    "a = <<E\n" + "\n" * 500_000 + "E\n",
    "a = <<E\n" + "${x}" * 50_000 + "\nE\n",
    "a = [" + "1," * 100_000 + "]\n",
    "#" * 1_000_000,
    "/*" + "*" * 1_000_000 + "*/",
    "a" * 1_000_000 + " = 1\n",
    "a = " + "1" * 1_000_000 + "\n",
    "<<" * 200_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=[each[:10].encode().hex() for each in HOSTILE])
def test_long_files_of_one_thing_are_read_in_one_pass(text):
    """Quadratic work on any of these would take minutes."""
    try:
        body = read_hcl(text)
    except BadDocument:
        return
    for attribute in body.attributes.values():
        assert value(attribute.expression, lambda _: UNKNOWN) is not Ellipsis


@given(st.text('ab"${}[]()=\n\\<E-#/*.,: ~%1', max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        body = read_hcl(text)
    except (BadDocument, LimitExceeded):
        return
    for attribute in body.attributes.values():
        value(attribute.expression, lambda _: UNKNOWN)


LITERALS = st.recursive(
    st.one_of(st.booleans(), st.integers(0, 10**9), st.text('ab$%{}"\\\n é', max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(LITERALS)
def test_what_is_written_as_literal_reads_back(literal):
    assert read_value(_written(literal)) == literal


def _written(literal):
    if isinstance(literal, bool):
        return "true" if literal else "false"
    if isinstance(literal, int):
        return str(literal)
    if isinstance(literal, list):
        return "[" + ", ".join(map(_written, literal)) + "]"
    if isinstance(literal, dict):
        return "{\n" + "\n".join(f"{key} = {_written(each)}" for key, each in literal.items()) + "\n}"
    escaped = literal.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + escaped.replace("${", "$${").replace("%{", "%%{") + '"'


def test_texts_in_json_are_templates_as_a_whole():
    assert value(template("a\n${var.x}"), lambda _: "b") == "a\nb"
    assert value(template('say "hi"'), lambda _: "b") == 'say "hi"'
