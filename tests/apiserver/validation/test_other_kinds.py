"""Every recorded answer of the real server, given by us."""

import pytest
from tests.apiserver.validation.casebook import Case, cases, changed, complaints, recorded, sent, stored

RECORDED = recorded()


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_complains_in_the_words_of_the_server(case: Case):
    old = None if case.verb == "create" else stored(case)
    new = sent(case) if old is None else changed(old, case.changes)
    ours = [list(error) for error in complaints(case, new, old)]
    assert (sorted(ours) if case.loose else ours) == RECORDED[case.id]


def test_every_case_has_a_name_of_its_own():
    ids = [case.id for case in cases()]
    assert sorted(set(ids)) == sorted(ids)
