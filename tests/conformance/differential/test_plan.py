"""What the matrix promises to cover, and how little it leaves out of the comparison."""

from collections import Counter
from itertools import product

import pytest

from .normaliser import IGNORED, differences
from .plan import LEAST_FILLS, MANAGERS, OPERATIONS, SUBJECTS, scenarios, status_scenarios
from .spots import ATOMIC, MAP, PLAIN, SET

pytestmark = pytest.mark.conformance

IGNORED_AT_MOST = 6
"""May only go down."""

REPEATED = tuple(range(LEAST_FILLS))


def test_there_are_fifteen_built_in_and_two_custom_kinds():
    custom = [subject for subject in SUBJECTS if subject.crd is not None]
    assert len(SUBJECTS) - len(custom) >= 15
    assert len(custom) == 2
    assert len({subject.gvk for subject in SUBJECTS}) == len(SUBJECTS)


def test_every_cell_is_filled_from_at_least_three_seeds():
    filled = Counter(cell for scenario in scenarios(REPEATED) for cell in scenario.cells)
    assert min(filled.values()) >= LEAST_FILLS
    for subject, operation, managers in product(SUBJECTS, OPERATIONS, MANAGERS):
        listed = {cell.listed for cell in filled if cell[:3] == (subject.name, operation, managers)}
        wanted = set() if operation == "strategic" and subject.crd else {PLAIN, SET, MAP}
        assert wanted <= listed, (subject.name, operation, managers)


def test_every_operation_meets_every_list_type():
    met = {(cell.operation, cell.listed) for scenario in scenarios(REPEATED) for cell in scenario.cells}
    assert met == set(product(OPERATIONS, (PLAIN, ATOMIC, SET, MAP)))


def test_status_is_written_in_every_way_but_create():
    met = {cell.operation for scenario in status_scenarios(REPEATED) for cell in scenario.cells}
    assert met == set(OPERATIONS) - {"create"}


def test_scenarios_have_names_and_dice_of_their_own():
    all_of_them = [*scenarios(REPEATED), *status_scenarios(REPEATED)]
    assert len({scenario.slug for scenario in all_of_them}) == len(all_of_them)
    assert len({scenario.number for scenario in scenarios(REPEATED)}) == len(list(scenarios(REPEATED)))


def test_the_list_of_what_is_not_compared_only_shrinks():
    assert len(IGNORED) <= IGNORED_AT_MOST
    assert all(row.reason for row in IGNORED)
    assert {row.kind for row in IGNORED} <= {"*", *(subject.name for subject in SUBJECTS)}


def test_what_is_ignored_at_create_is_compared_later():
    ours = {"kind": "Pod", "metadata": {"uid": "a"}, "status": {"phase": "Running"}}
    theirs = {"kind": "Pod", "metadata": {"uid": "b"}, "status": {"phase": "Pending"}}
    assert differences(ours, theirs, created=True) == []
    assert [one.path for one in differences(ours, theirs, created=False)] == [".metadata.uid", ".status.phase"]


def test_an_empty_value_is_not_an_absent_one():
    ours = {"kind": "Pod", "metadata": {"labels": {}}, "spec": {"a": 1}}
    theirs = {"kind": "Pod", "metadata": {}, "spec": {"a": True}}
    assert len(differences(ours, theirs, created=False)) == 2
