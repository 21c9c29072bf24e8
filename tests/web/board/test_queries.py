"""The search that people type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.board.forest import rows

from plumbline.base.errors import InvalidInput
from plumbline.web.board.paging import paged
from plumbline.web.board.query import Query

ROWS = rows(300)
CLUSTERS = {f"https://cluster-{number}": f"eu-{number}" for number in range(4)}


def found(text):
    return [row for row in ROWS if Query.parse(text, CLUSTERS).fails(row) == ""]


CASES = [
    ("", lambda row: True, "nothing asks for everything"),
    ("health:degraded", lambda row: row.health == "Degraded", "in any case"),
    ("health:Degraded,progressing", lambda row: row.health in {"Degraded", "Progressing"}, "a comma is or"),
    ("-health:healthy", lambda row: row.health != "Healthy", "a minus turns it round"),
    ("sync:outofsync health:healthy", lambda row: row.sync == "OutOfSync" and row.health == "Healthy", "all must hold"),
    ("project:project-1", lambda row: row.project == "project-1", "whole names: project-10 is another"),
    ("project:project-1*", lambda row: row.project.startswith("project-1"), "a star stands for anything"),
    ("cluster:eu-1", lambda row: row.server == "https://cluster-1", "clusters by the name people know"),
    ("cluster:https://cluster-4", lambda row: row.server == "https://cluster-4", "or by their address"),
    ("namespace:ns-7", lambda row: row.into == "ns-7", "the namespace that is deployed to"),
    ("label:team=team-3", lambda row: ("team", "team-3") in row.labels, "a label"),
    ("label:team", lambda row: True, "a label, whatever its value"),
    ("label:nothing", lambda row: False, "a label that there is not"),
    ("repo:APPS.git", lambda row: True, "a part of the address"),
    ("repo:https://git.example.org/apps", lambda row: True, "colons in it are its own"),
    ("path:app-0001", lambda row: "app-0001" in row.name, "a part of the path"),
    ("app-0001", lambda row: "app-0001" in row.name, "a word is a part of the name"),
    ("0001,0002", lambda row: "0001" in row.name or "0002" in row.name, "or several"),
    ("-name:0001", lambda row: "0001" not in row.name, "not that name"),
    ('"app-00012"', lambda row: row.name == "app-00012", "quoted"),
    ('name:"app-00012"', lambda row: row.name == "app-00012", "quoted after its key"),
    ("auto:yes", lambda row: row.automated, "automated"),
    ("auto:off", lambda row: not row.automated, "not automated"),
    ("condition:no", lambda row: True, "without conditions"),
    ("phase:succeeded revision:main", lambda row: True, "its last operation, its revision"),
    ("health:", lambda row: False, "a key without a value fits nothing"),
]


@pytest.mark.parametrize(("text", "fits", "why"), CASES, ids=[why for *_, why in CASES])
def test_a_search_finds(text, fits, why):
    assert found(text) == [row for row in ROWS if fits(row)], why


@pytest.mark.parametrize("text", ["colour:red", 'a"', "auto:perhaps", "x" * 2000, "a " * 50, "https://x"])
def test_what_cannot_be_searched_is_said(text):
    with pytest.raises(InvalidInput):
        Query.parse(text)


@given(st.text(max_size=60))
def test_no_text_does_harm(text):
    try:
        query = Query.parse(text)
    except InvalidInput:
        return
    for row in ROWS[:5]:
        assert query.fails(row) in {"", None, *(term.key for term in query.terms)}


def test_counts_of_a_facet_do_not_depend_on_what_is_asked_of_it():
    everything, searched = paged(ROWS, Query.parse("")), paged(ROWS, Query.parse("health:degraded"))
    assert searched.facets.shaped()["health"] == everything.facets.shaped()["health"]
    assert searched.facets.shaped()["sync"]["Synced"] < everything.facets.shaped()["sync"]["Synced"]
    assert searched.facets.total == searched.facets.shaped()["health"]["Degraded"] == 60
    both = paged(ROWS, Query.parse("health:degraded sync:synced -project:project-3"))
    assert sum(both.facets.shaped()["sync"].values()) > both.facets.total


@pytest.mark.parametrize(
    ("sort", "first"),
    [
        ("", "app-00000"),
        ("-name", "app-00299"),
        ("health", "app-00003"),
        ("-health,-name", "app-00297"),
        ("sync", "app-00002"),
        ("project,-name", "app-00280"),
        ("cluster", "app-00000"),
        ("-created,name", "app-00059"),
        ("namespace", "app-00000"),
        ("synced", "app-00000"),
        ("since", "app-00000"),
    ],
)
def test_rows_come_in_the_order_that_is_asked_for(sort, first):
    assert paged(ROWS, Query.parse("", CLUSTERS), sort).rows[0].name == first


def test_an_order_that_nobody_knows_is_said():
    with pytest.raises(InvalidInput):
        paged(ROWS, Query(), "colour")


@given(st.integers(0, 320), st.integers(0, 40))
def test_pages_are_parts_of_the_whole(offset, limit):
    page = paged(ROWS, Query(), "-created", offset=offset, limit=limit)
    whole = paged(ROWS, Query(), "-created").rows
    assert page.rows == whole[offset : offset + limit]
    assert page.next == (offset + limit if page.rows and offset + limit < 300 else None)
