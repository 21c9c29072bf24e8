import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.tables import custom_columns, scale_columns

from .objects import NOW, ago, made


def shown(kind, value):
    printer = custom_columns({"additionalPrinterColumns": [{"name": "C", "type": kind, "jsonPath": ".spec.v"}]})
    return printer.cells(made(spec={"v": value}), NOW)[1]


CELLS = [
    ("string", "text", "text", "a text"),
    ("string", "", "", "an empty text"),
    ("string", None, "<no value>", "a null"),
    ("string", True, "true", "a truth"),
    ("string", False, "false", "an untruth"),
    ("string", 1_000_000, "1000000", "a whole number"),
    ("string", 3.0, "3", "a fraction that is whole"),
    ("string", 2.5, "2.5", "a fraction"),
    ("string", 1e6, "1e+06", "a large fraction"),
    ("string", -1234567.5, "-1.2345675e+06", "a large fraction of several digits"),
    ("string", 0.0001, "0.0001", "a small fraction"),
    ("string", 0.00001, "1e-05", "a smaller one"),
    ("string", {"b": 1.0, "a": ["<", 2.5]}, '{"a":["\\u003c",2.5],"b":1}', "an object"),
    ("string", [1, None], "[1,null]", "a list"),
    ("integer", 5, 5, "a whole number"),
    ("integer", 5.9, 5, "a fraction is cut off"),
    ("integer", -5.9, -5, "towards zero"),
    ("integer", 1e30, -(2**63), "what does not fit"),
    ("integer", 2**80, -(2**63), "what does not fit"),
    ("integer", True, None, "a truth is no number"),
    ("integer", "5", None, "nor is a text"),
    ("integer", None, None, "nor a null"),
    ("number", 5, 5, "a whole number"),
    ("number", 5.0, 5, "a fraction that is whole"),
    ("number", 2.5, 2.5, "a fraction"),
    ("number", 1e30, 1e30, "a large number"),
    ("number", 10**400, None, "one that is too large for any"),
    ("number", False, None, "a truth is no number"),
    ("boolean", True, True, "a truth"),
    ("boolean", "true", None, "not the word"),
    ("boolean", 1, None, "nor a number"),
    ("date", ago(hours=9), "9h", "a time"),
    ("date", "2999-01-01T00:00:00Z", "<invalid>", "the future"),
    ("date", "soon", "<invalid>", "no time"),
    ("date", "", "<unknown>", "none"),
    ("date", "null", "<unknown>", "none, in a word"),
    ("date", "0001-01-01T00:00:00Z", "<unknown>", "none, as Go writes it"),
    ("date", 5, None, "a number is no time"),
    ("colour", "red", None, "a type that does not exist"),
]


@pytest.mark.parametrize(("kind", "value", "cell", "why"), CELLS, ids=[f"{row[0]}: {row[3]}" for row in CELLS])
def test_cells_by_the_type_of_their_column(kind, value, cell, why):
    found = shown(kind, value)
    assert (found, type(found)) == (cell, type(cell))


def test_what_is_missing_has_no_cell():
    columns = [
        {"name": "A", "type": "string", "jsonPath": path}
        for path in (".no", ".spec.no", ".spec[0]", ".metadata.name.x")
    ]
    assert custom_columns({"additionalPrinterColumns": columns}).cells(made(), NOW) == ["x", None, None, None, None]


def test_of_several_results_the_first_is_shown():
    columns = [{"name": "A", "type": "string", "jsonPath": ".spec.list[*].n"}]
    printer = custom_columns({"additionalPrinterColumns": columns})
    assert printer.cells(made(spec={"list": [{"n": 1}, {"n": 2}]}), NOW) == ["x", "1"]


def test_columns_are_described_by_their_path_unless_by_words():
    columns = [
        {"name": "A", "type": "string", "jsonPath": ".a", "priority": 3, "format": "byte"},
        {"name": "B", "type": "date", "jsonPath": ".b", "description": "when"},
    ]
    _, first, second = custom_columns({"additionalPrinterColumns": columns}).columns()
    path = "Custom resource definition column (in JSONPath format): .a"
    assert first == {"name": "A", "type": "string", "format": "byte", "description": path, "priority": 3}
    assert second == {"name": "B", "type": "date", "format": "", "description": "when", "priority": 0}


@pytest.mark.parametrize(
    "version", [{}, {"additionalPrinterColumns": []}, {"additionalPrinterColumns": None}], ids=repr
)
def test_without_columns_there_is_the_age(version):
    printer = custom_columns(version)
    assert [(each["name"], each["type"]) for each in printer.columns()] == [("Name", "string"), ("Age", "date")]
    assert printer.cells(made(), NOW) == ["x", "5d"]


def test_a_path_that_cannot_be_read_ends_the_columns():
    columns = [
        {"name": name, "type": "string", "jsonPath": path} for name, path in [("A", ".a"), ("B", ".b["), ("C", ".c")]
    ]
    printer = custom_columns({"additionalPrinterColumns": columns})
    assert [each["name"] for each in printer.columns()] == ["Name", "A"]
    assert len(printer.cells(made(), NOW)) == 2


SCALES = [
    (
        {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"},
        ["Name", "Desired", "Available", "Age"],
        "both",
    ),
    ({"specReplicasPath": ".spec.n"}, ["Name", "Desired", "Age"], "one"),
    (None, ["Name", "Age"], "neither"),
]


@pytest.mark.parametrize(("scale", "names", "why"), SCALES, ids=[row[2] for row in SCALES])
def test_a_scale_shows_the_replicas_that_there_are(scale, names, why):
    printer = scale_columns({"subresources": {"scale": scale}})
    assert [each["name"] for each in printer.columns()] == names
    cells = printer.cells(made(spec={"replicas": 3}, status={"replicas": 2}), NOW)
    assert cells == [*["x", 3, 2][: len(names) - 1], "5d"]


def test_a_version_without_subresources_has_a_scale_with_an_age():
    assert len(scale_columns({}).columns()) == 2


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
)


@given(st.sampled_from(["string", "integer", "number", "boolean", "date", ""]), json)
def test_every_value_has_a_cell(kind, value):
    shown(kind, value)


@given(st.lists(st.dictionaries(st.sampled_from(["name", "type", "jsonPath", "priority", "format"]), json) | json))
def test_every_list_of_columns_can_be_printed(columns):
    printer = custom_columns({"additionalPrinterColumns": columns})
    assert len(printer.columns()) == len(printer.cells(made(), NOW))
    assert printer.header
