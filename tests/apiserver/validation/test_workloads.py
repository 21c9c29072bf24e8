"""Workloads: every complaint of the real server, in its order and words."""

import pytest

from plumbline.apiserver.validation import validated_create, validated_status_update, validated_update
from plumbline.kube.names import GroupVersionKind

from .broken import workloads
from .broken.asking import our_answer
from .broken.case import GONE, edited
from .broken.recorded import answer, base


@pytest.mark.parametrize("case", workloads.CASES, ids=lambda case: case.key)
def test_broken_workloads_are_refused_in_the_words_of_the_server(case):
    assert our_answer(case, base(case.base)) == answer(case.key)


def fields(errors):
    return [error.field for error in errors]


DEFAULTED = [
    ("deployment", {"spec|strategy|rollingUpdate": GONE}, ["spec.strategy.rollingUpdate"]),
    ("daemonset", {"spec|updateStrategy|rollingUpdate": GONE}, ["spec.updateStrategy.rollingUpdate"]),
    ("daemonset", {"spec|updateStrategy": {"type": "OnDelete"}}, []),
    ("statefulset", {"spec|podManagementPolicy": GONE}, ["spec.podManagementPolicy"]),
    ("statefulset", {"spec|updateStrategy": {}}, ["spec.updateStrategy"]),
    (
        "statefulset",
        {"spec|updateStrategy|rollingUpdate": {"maxUnavailable": "0%"}},
        ["spec.updateStrategy.rollingUpdate.maxUnavailable"],
    ),
    (
        "statefulset",
        {"spec|updateStrategy|rollingUpdate": {"maxUnavailable": "150%"}},
        ["spec.updateStrategy.rollingUpdate.maxUnavailable"],
    ),
    ("rc", {"spec|replicas": GONE, "spec|selector": {}}, ["spec.selector", "spec.replicas"]),
    ("rc", {"spec|template": GONE}, ["spec.template"]),
]


@pytest.mark.parametrize(("name", "edits", "expected"), DEFAULTED)
def test_what_defaults_would_set_is_missed(name, edits, expected):
    obj = edited(base(name).fresh, edits)
    assert fields(validated_create(GroupVersionKind.of(obj), obj)) == expected


@pytest.mark.parametrize("name", ["deployment", "replicaset", "rc", "daemonset", "statefulset", "podtemplate"])
def test_a_workload_that_did_not_change_is_sound(name):
    stored = base(name).stored
    assert validated_update(GroupVersionKind.of(stored), stored, stored) == []


def test_a_template_that_did_not_change_is_not_looked_at_again():
    """What was stored has met every rule; the server's own leniency towards old objects comes to the same."""
    stored = edited(base("deployment").stored, {"spec|template|spec|containers|0|image": ""})
    grown = edited(stored, {"spec|replicas": 5})
    assert validated_update(GroupVersionKind.of(stored), grown, stored) == []


def test_collisions_are_counted_upwards_only():
    old = edited(base("statefulset").stored, {"status|collisionCount": 2})
    for count in (1, GONE):
        new = edited(old, {"status|collisionCount": count})
        assert fields(validated_status_update(GroupVersionKind.of(old), new, old)) == ["status.collisionCount"]
