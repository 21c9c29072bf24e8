import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.apiserver.defaults.samples import held

from plumbline.apiserver.defaults.quantities import rounded
from plumbline.kube.quantity import Quantity

AMOUNTS = [
    ("1n", "1m", "less than a thousandth is one"),
    ("1500u", "2m", "a thousandth and a half is two"),
    ("-1500u", "-2m", "away from zero"),
    ("1.0001", "1001m", "digits beyond the third"),
    ("1.100e-7", "1e-3", "exponents keep their style"),
    ("1500m", "1500m", "thousandths stay"),
    ("1.500", "1.500", "and so does what the server takes for canonical"),
    ("1Gi", "1Gi", "whole numbers stay"),
    ("x", "x", "what is no quantity stays"),
    ("9" * 80, "9" * 80, "long ones are read, and not remembered"),
    (5, 5, "what is no text stays"),
    (None, None, "nothing stays"),
]


@pytest.mark.parametrize(("amount", "expected", "why"), AMOUNTS, ids=[why for *_, why in AMOUNTS])
def test_amounts_are_counted_in_thousandths(amount, expected, why):
    assert rounded(amount) == expected


@given(st.integers(-(10**12), 10**12), st.sampled_from(["n", "u", "m", "", "k", "Ki"]))
def test_rounding_never_takes_away_and_never_adds_a_thousandth(number, suffix):
    before = Quantity.parse(f"{number}{suffix}")
    after = Quantity.parse(rounded(f"{number}{suffix}"))
    assert abs(after.to_decimal()) >= abs(before.to_decimal())
    assert abs(after.to_decimal() - before.to_decimal()) < Quantity.parse("1m").to_decimal()


def pod(*containers, init=(), **resources):
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": list(containers), "initContainers": list(init), "resources": resources},
    }  # fmt: skip


def running(requests=None, limits=None, **more):
    return {"name": "c", "image": "x", "resources": {"requests": requests or {}, "limits": limits or {}}, **more}


TOTALS = [
    (
        pod(running({"cpu": "1"}), running({"cpu": "500m"}), limits={"cpu": "4"}),
        {"cpu": "1500m"},
        "containers run together",
    ),
    (
        pod(running({"cpu": "1"}), init=[running({"cpu": "3"})], limits={"cpu": "4"}),
        {"cpu": "3"},
        "an init container runs alone, so the larger counts",
    ),
    (
        pod(
            running({"cpu": "1"}),
            init=[running({"cpu": "2"}, restartPolicy="Always"), running({"cpu": "3"})],
            limits={"cpu": "6"},
        ),
        {"cpu": "5"},
        "but beside the sidecars that came before it",
    ),
    (
        pod(
            running({"cpu": "1"}),
            init=[running({"cpu": "3"}), running({"cpu": "2"}, restartPolicy="Always")],
            limits={"cpu": "6"},
        ),
        {"cpu": "3"},
        "and not beside those that come after",
    ),
    (pod(running(), limits={"cpu": "2"}), {"cpu": "2"}, "nobody asks, so the limit is asked for"),
    (pod(running(), limits={"cpu": "2"}, requests={"cpu": "1"}), {"cpu": "1"}, "what is said is said"),
    (
        pod(running({"ephemeral-storage": "1Gi"}), limits={"cpu": "2"}),
        {"cpu": "2"},
        "a pod counts processors, memory and huge pages",
    ),
    (pod(running({"cpu": "1"}), requests={"memory": "1Gi"}), {"memory": "1Gi"}, "without limits nothing follows"),
    (
        pod(running({"cpu": "1n"}), running({"cpu": "1n"}), limits={"cpu": "1"}),
        {"cpu": "1m"},
        "the sum is rounded, not its parts",
    ),
]


@pytest.mark.parametrize(("obj", "requests", "why"), TOTALS, ids=[why for *_, why in TOTALS])
def test_a_pod_requests_what_its_containers_do(obj, requests, why):
    assert held(obj)["spec"]["resources"]["requests"] == requests


def test_huge_pages_of_containers_limit_the_pod():
    page = {"hugepages-2Mi": "4Mi"}
    obj = pod(running(limits=page), running(limits=page), limits={"cpu": "1"})
    assert held(obj)["spec"]["resources"]["limits"] == {"cpu": "1", "hugepages-2Mi": "8Mi"}


def test_huge_pages_that_the_pod_requests_limit_nothing():
    obj = pod(running(limits={"hugepages-2Mi": "4Mi"}), requests={"hugepages-2Mi": "4Mi"})
    assert "limits" not in held(obj)["spec"]["resources"]


def test_amounts_that_are_none_are_left_for_validation():
    obj = pod(running({"cpu": "much"}), limits={"cpu": "1"})
    assert held(obj)["spec"]["resources"] == {"limits": {"cpu": "1"}}


def test_containers_request_their_limits():
    resources = held(pod(running({"cpu": "1"}, {"cpu": "2", "memory": "1Gi"})))["spec"]["containers"][0]["resources"]
    assert resources["requests"] == {"cpu": "1", "memory": "1Gi"}
