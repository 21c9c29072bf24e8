"""What a row keeps, and how little that is."""

import sys
import tracemalloc

import pytest
from tests.web.board.forest import application, entry, rows

from plumbline.web.board.rows import Row, Source, row
from plumbline.web.board.shaping import shaped


def test_a_row_has_what_a_list_shows():
    found = row(entry(application(3, operation={"sync": {}})))
    assert (found.name, found.project, found.health, found.sync, found.phase) == (
        "app-00003", "project-3", "Degraded", "Synced", "Succeeded",
    )  # fmt: skip
    assert found.sources == (Source("https://git.example.org/apps.git", "apps/app-00003", "", "main"),)
    assert (found.automated, found.asked, found.bare, found.unreadable) == (True, True, False, False)


def test_several_sources_and_a_hydrator_are_told_too():
    spec = {"sources": [{"repoURL": "a", "chart": "c"}, {"repoURL": "b", "path": "p"}]}
    status = {"sync": {"revisions": ["1", "2"]}}
    found = row(entry(application(spec=spec, status=status)))
    assert ([each.repo for each in found.sources], found.revisions, found.bare) == (["a", "b"], ("1", "2"), True)
    assert shaped(found)["status"]["sync"] == {"status": "Unknown", "revisions": ["1", "2"]}
    assert shaped(found)["spec"]["sources"][0] == {"repoURL": "a", "chart": "c"}
    dry = row(entry(application(spec={"sourceHydrator": {"drySource": {"repoURL": "d", "path": "p"}}})))
    assert dry.sources[0].repo == "d"


@pytest.mark.parametrize("broken", [{"spec": 3}, {"spec": {"project": 5}}, {"status": []}, {"spec": {"sources": "x"}}])
def test_an_object_of_other_types_is_still_a_row(broken):
    """Attack 27: one malformed object must not take the list with it."""
    found = row(entry(application(1, **broken)))
    assert (found.name, found.unreadable, found.health) == ("app-00001", True, "Unknown")


def test_an_application_that_nobody_has_looked_at_is_a_row():
    found = row(entry(application(0, status=None, spec=None, operation=None)))
    assert (found.project, found.health, found.sync, found.asked) == ("default", "Unknown", "Unknown", False)
    assert "operationState" not in shaped(found)["status"]


def test_a_row_in_the_shape_of_its_object():
    found = shaped(row(entry(application(1))))
    assert found["metadata"]["labels"] == {"team": "team-1"}
    assert found["spec"]["syncPolicy"] == {"automated": {}}
    assert found["status"]["operationState"]["phase"] == "Succeeded"
    assert "resources" not in found["status"]


def test_versions_that_a_list_shows_alike_are_the_same():
    one, other = row(entry(application(1))), row(entry(application(1)))
    changed = application(1)
    changed["metadata"]["resourceVersion"] = "99"
    changed["status"]["resources"] = []
    assert one.same(other)
    assert row(entry(changed)).same(one)
    assert not row(entry(application(2))).same(one)


def test_ten_thousand_rows_are_less_than_thirty_megabytes():
    tracemalloc.start()
    kept = rows(2_000)
    size_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size_bytes * 5 < 30_000_000
    assert kept[0].namespace is kept[1].namespace
    assert sys.getsizeof(kept[0]) < 300
    assert isinstance(kept[0], Row)
