"""What Argo CD's developers ask of Argo CD, asked of us by their own tests."""

import re

import pytest

from .promises import APART, KEPT, SERVED
from .suite import Suite, built

pytestmark = pytest.mark.conformance

_SAMPLE = 2
"""Of each of their files, so many with every run. All of them take long: `make upstream`."""
SOME = [test for tests in KEPT.values() for test in tests[:_SAMPLE]]
OTHERS = [test for tests in KEPT.values() for test in tests[_SAMPLE:]]


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    suite = Suite(tmp_path_factory.mktemp("argocd-e2e"))
    try:
        suite.start()
        yield suite
    finally:
        suite.stop()


@pytest.fixture(scope="session")
def served_suite(suite):
    with suite.served():
        yield suite


@pytest.mark.parametrize("test", SOME)
def test_it_is_kept(suite, test):
    ended = suite.run(test)
    assert ended.well, ended.told


@pytest.mark.thorough
@pytest.mark.parametrize("test", OTHERS)
def test_the_others_are_kept(suite, test):
    ended = suite.run(test)
    assert ended.well, ended.told


@pytest.mark.thorough
@pytest.mark.parametrize("test", SERVED)
def test_with_servers_it_is_kept(served_suite, test):
    ended = served_suite.run(test)
    assert ended.well, ended.told


def test_all_of_them_are_accounted_for():
    theirs = {
        test
        for path in (built() / "test" / "e2e").glob("*_test.go")
        for test in re.findall(r"^func (Test\w+)\(", path.read_text(), re.MULTILINE)
    }
    apart = [test for tests in APART.values() for test in tests]
    assert sorted((*SOME, *OTHERS, *SERVED, *apart)) == sorted(theirs - {"TestMain"})
