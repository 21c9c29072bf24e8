"""Which pods go first."""

from datetime import UTC, datetime, timedelta

import pytest

from plumbline.apiserver.controllers.workloads.podviews import next_availability_s, pod_from
from plumbline.apiserver.controllers.workloads.ranking import by_expendability, deletion_cost, first_to_go
from plumbline.base.clock import rfc3339

NOW = datetime(2026, 1, 2, tzinfo=UTC)
COST = "controller.kubernetes.io/pod-deletion-cost"


def pod(name, *, node="n1", phase="Running", ready=True, ready_s=100, age_s=1000, restarts=0, sidecar=0, **metadata):
    return pod_from(
        {
            "metadata": {
                "name": name,
                "uid": name,
                "creationTimestamp": rfc3339(NOW - timedelta(seconds=age_s)),
                **metadata,
            },
            "spec": {"nodeName": node, "initContainers": [{"name": "s", "restartPolicy": "Always"}, {"name": "i"}]},
            "status": {
                "phase": phase,
                "conditions": [
                    {
                        "type": "Ready",
                        "status": "True" if ready else "False",
                        "lastTransitionTime": rfc3339(NOW - timedelta(seconds=ready_s)),
                    }
                ],
                "containerStatuses": [{"name": "c", "restartCount": restarts}],
                "initContainerStatuses": [{"name": "s", "restartCount": sidecar}, {"name": "i", "restartCount": 99}],
            },
        }
    )


CASES = [
    (pod("a", node=""), pod("b"), "unassigned before assigned"),
    (pod("a", phase="Pending", ready=False), pod("b", ready=False), "pending before running"),
    (pod("a", phase="Unknown", ready=False), pod("b", ready=False), "unknown before running"),
    (pod("a", ready=False), pod("b"), "not ready before ready"),
    (pod("a", ready_s=1), pod("b", ready_s=5000), "ready for a shorter time"),
    (pod("a", restarts=3), pod("b", restarts=1), "restarting more"),
    (pod("a", sidecar=3), pod("b", sidecar=1), "sidecars restarting more"),
    (pod("a", age_s=10), pod("b", age_s=90000), "younger"),
]


@pytest.mark.parametrize(("first", "second", "why"), CASES, ids=[case[-1] for case in CASES])
def test_both_orders_agree_on_who_is_missed_least(first, second, why):
    assert by_expendability([second, first]) == [first, second], why
    assert first_to_go([second, first], (), 1, NOW) == [first], why


def test_a_pod_with_a_lower_cost_goes_before_an_unready_age():
    dear, cheap = pod("a", age_s=1, annotations={COST: "10"}), pod("b", annotations={COST: "-5"})
    assert first_to_go([dear, cheap], (), 1, NOW) == [cheap]


@pytest.mark.parametrize("text", ["", "+1", "01", "x", "3000000000", "--1"])
def test_a_cost_that_is_no_number_is_none(text):
    assert deletion_cost(pod("a", annotations={COST: text})) == 0


def test_pods_on_crowded_nodes_go_first():
    near = [pod("a", node="n1"), pod("b", node="n1"), pod("c", node="n2")]
    assert first_to_go(near, near, 1, NOW)[0].node == "n1"


def test_ages_count_by_their_order_of_magnitude_and_then_by_chance():
    older, younger = pod("a", ready_s=1000), pod("b", ready_s=900)
    assert first_to_go([younger, older], (), 1, NOW) == [older], "alike in magnitude, so by uid"
    same = [pod("b", ready_s=900, age_s=10), pod("a", ready_s=900, age_s=9)]
    assert [each.name for each in first_to_go(same, (), 1, NOW)] == ["a"]


def test_a_moment_that_is_unknown_counts_as_the_youngest():
    unknown = pod_from(
        {"metadata": {"name": "u", "uid": "u"}, "spec": {"nodeName": "n1"}, "status": {"phase": "Running"}}
    )
    known = pod_from(
        {
            "metadata": {"name": "k", "uid": "k", "creationTimestamp": rfc3339(NOW)},
            "spec": {"nodeName": "n1"},
            "status": {"phase": "Running"},
        }
    )
    assert first_to_go([known, unknown], (), 1, NOW) == [unknown]
    assert first_to_go([unknown, known], (), 1, NOW) == [unknown]
    future = pod("f", ready_s=-5)
    assert first_to_go([pod("z", ready_s=100), future], (), 1, NOW) == [future]


def test_asked_for_all_of_them_the_order_does_not_matter():
    pods = [pod("a"), pod("b")]
    assert first_to_go(pods, (), 2, NOW) == pods


def test_the_next_to_be_available_is_waited_for():
    pods = [pod("a", ready_s=4), pod("b", ready_s=8), pod("c", ready=False), pod("d", ready_s=60)]
    assert next_availability_s(pods, 10, NOW) == 2.0
    assert next_availability_s(pods, 0, NOW) is None
    assert next_availability_s(pods[2:], 10, NOW) is None
