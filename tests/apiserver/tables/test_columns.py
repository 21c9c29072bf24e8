import pytest

from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.tables import cells, columns
from plumbline.apiserver.tables.columns import definitions
from plumbline.base.json import decode, encode
from plumbline.kube.schema.builtin import catalog

from .objects import NOW, kind, made

LINES = [
    ("Ready | says so", ["Ready", "string", "", "says so", 0], "a text column"),
    ("Desired:integer | n", ["Desired", "integer", "", "n", 0], "another type"),
    ("Nominated Node* | n", ["Nominated Node", "string", "", "n", 1], "a wide column, of two words"),
    ("Port(s) | n", ["Port(s)", "string", "", "n", 0], "brackets that are part of a name"),
    ("Count:integer* (name) | a\\nb", ["Count", "integer", "name", "a\nb", 1], "everything"),
    ("Handler |", ["Handler", "string", "", "", 0], "nothing to say"),
]


@pytest.mark.parametrize(("line", "shown", "why"), LINES, ids=[row[2] for row in LINES])
def test_a_line_is_a_column(line, shown, why):
    assert [list(each.values()) for each in definitions(line)] == [shown]


def test_fields_of_a_column_come_in_the_servers_order():
    assert list(definitions("Name")[0]) == ["name", "type", "format", "description", "priority"]


def test_what_is_no_column_is_a_mistake_of_ours():
    with pytest.raises(ValueError, match="not a column"):
        definitions("Name without a description")


def test_descriptions_come_from_the_schemas():
    described = catalog().definition("meta.v1.ObjectMeta")["properties"]
    name, age = columns(kind("v1", "ServiceAccount"))
    assert name == {
        "name": "Name",
        "type": "string",
        "format": "name",
        "description": described["name"]["description"],
        "priority": 0,
    }
    assert age["description"] == described["creationTimestamp"]["description"]


KINDS = [resource.kind for resource in builtin_resources() if "get" in resource.verbs]


@pytest.mark.parametrize("gvk", KINDS, ids=lambda gvk: f"{gvk.kind}.{gvk.group}")
def test_rows_are_as_wide_as_their_columns(gvk):
    """But for the one kind whose row upstream made wider."""
    wider = 1 if gvk.kind == "IPAddress" else 0
    assert len(cells(gvk, made(), NOW)) == len(columns(gvk)) + wider


def test_kinds_without_a_printer_show_when_they_were_made():
    assert [each["name"] for each in columns(kind("example.com/v1", "Unheard"))] == ["Name", "Created At"]


def test_columns_survive_being_written():
    gvk = kind("certificates.k8s.io/v1", "CertificateSigningRequest")
    assert decode(encode(columns(gvk))) == columns(gvk)
    assert "defaulted:\n 1. If" in columns(gvk)[2]["description"]
