"""What a pod asks for as a whole."""

import pytest

from plumbline.apiserver.nodes.requests import pod_resources, quantity, spelled


def container(cpu: str, **more):
    return {"name": "x", "resources": {"requests": {"cpu": cpu}}, **more}


CASES = [
    ({"containers": [container("100m"), container("200m")]}, "300m", "containers add up"),
    ({"containers": [container("100m")], "initContainers": [container("1")]}, "1", "the largest init container counts"),
    ({"containers": [container("2")], "initContainers": [container("1")]}, "2", "init containers run alone"),
    (
        {"containers": [container("1")], "initContainers": [container("1", restartPolicy="Always")]},
        "2",
        "a sidecar runs beside the others",
    ),
    (
        {
            "containers": [container("100m")],
            "initContainers": [container("1", restartPolicy="Always"), container("1")],
        },
        "2",
        "a sidecar runs beside the init containers after it",
    ),
    ({"containers": [container("1")], "overhead": {"cpu": "250m"}}, "1250m", "overhead is on top"),
    ({"containers": [container("1")], "resources": {"requests": {"cpu": "5"}}}, "5", "the pod's own word counts"),
    ({"containers": [{"name": "x"}]}, None, "nothing is asked for"),
]


@pytest.mark.parametrize(("spec", "cpu", "why"), CASES)
def test_adds_up_requests(spec, cpu, why):
    assert spelled(pod_resources(spec, "requests")).get("cpu") == cpu, why


def test_overhead_adds_to_limits_only_where_there_are_any():
    limited = {"containers": [{"resources": {"limits": {"cpu": "1"}}}], "overhead": {"cpu": "1", "memory": "1Mi"}}
    assert spelled(pod_resources(limited, "limits")) == {"cpu": "2"}


def test_what_cannot_be_read_counts_as_nothing():
    assert str(quantity("lots")) == "0"
