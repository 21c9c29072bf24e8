"""What Argo CD's developers ask of Argo CD, asked of us by their own tests."""

import re

import pytest

from .promises import APART, KEPT
from .suite import Suite, built

pytestmark = pytest.mark.conformance


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    suite = Suite(tmp_path_factory.mktemp("argocd-e2e"))
    try:
        suite.start()
        yield suite
    finally:
        suite.stop()


@pytest.mark.parametrize("test", KEPT)
def test_it_is_kept(suite, test):
    ended = suite.run(test)
    assert ended.well, ended.told


def test_all_of_them_are_accounted_for():
    theirs = {
        test
        for path in (built() / "test" / "e2e").glob("*_test.go")
        for test in re.findall(r"^func (Test\w+)\(", path.read_text(), re.MULTILINE)
    }
    apart = [test for tests in APART.values() for test in tests]
    assert sorted((*KEPT, *apart)) == sorted(theirs)
