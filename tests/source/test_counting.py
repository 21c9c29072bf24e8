"""What is counted by labels from outside does not grow with them."""

import pytest
from prometheus_client import CollectorRegistry

from plumbline.source import counting
from plumbline.source.counting import Failures, Questions


@pytest.fixture
def registry():
    return CollectorRegistry()


def told(registry, name):
    samples = (sample for family in registry.collect() for sample in family.samples if sample.name == name)
    return {tuple(sample.labels.values()): sample.value for sample in samples}


def test_of_each_repository_the_latest_revisions_are_told(registry, monkeypatch):
    monkeypatch.setattr(counting, "REVISIONS", 2)
    failures = Failures("x_fail", "Failures", registry)
    for revision in ("a", "b", "a", "c"):
        failures.failed("one", revision)
    failures.failed("two", "b")
    assert told(registry, "x_fail_total") == {("one", "a"): 2, ("one", "c"): 1, ("two", "b"): 1}


def test_a_repository_that_nobody_wants_is_told_of_no_more(registry):
    questions, failures = Questions("x", "Questions", registry), Failures("x_fail", "Failures", registry)
    for repo in ("one", "two"):
        questions.asked(repo, "fetch", 0.3)
        failures.failed(repo, "a")
    questions.forget("one", ("fetch", "never"))
    failures.forget("one")
    failures.forget("nobody")
    assert told(registry, "argocd_x_request_total") == {("two", "fetch"): 1}
    assert told(registry, "argocd_x_request_duration_seconds_sum") == {("two", "fetch"): 0.3}
    assert told(registry, "x_fail_total") == {("two", "a"): 1}
