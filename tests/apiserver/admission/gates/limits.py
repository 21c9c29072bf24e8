"""LimitRanges."""

from collections.abc import Mapping
from typing import Any

from tests.apiserver.scripts.steps import Script, Step
from tests.apiserver.strategies.turns.samples import (
    APPS,
    CORE,
    PVC,
    claim,
    container,
    made,
    made_pod,
    patched,
    workload,
)

from plumbline.base.json import JsonObject


def limits(name: str, *items: JsonObject) -> Step:
    return made(f"{CORE}/limitranges", {"metadata": {"name": name}, "spec": {"limits": list(items)}})


def asking(name: str = "p", **resources: Any) -> Step:
    return made_pod(name, [container(resources=resources)])


SCRIPTS: Mapping[str, Script] = {
    "defaults": [
        limits("a", {"type": "Container", "default": {"cpu": "2", "memory": "1Gi"}, "defaultRequest": {"cpu": "1"}}),
        asking("nothing"),
        asking("limit", limits={"cpu": "3"}),
        asking("request", requests={"memory": "5Mi"}),
        made_pod("init", initContainers=[container("i")]),
        made(f"{APPS}/deployments", workload()),
        patched(f"{CORE}/pods/nothing", {"metadata": {"labels": {"x": "y"}}}),
    ],
    "bounds of containers": [
        limits(
            "a",
            {
                "type": "Container",
                "min": {"cpu": "500m"},
                "max": {"memory": "1Gi"},
                "maxLimitRequestRatio": {"cpu": "2"},
                "default": {"memory": "1Mi"},
                "defaultRequest": {"memory": "1Mi"},
            },
        ),
        asking("none"),
        asking("small", requests={"cpu": "100m"}, limits={"cpu": "200m"}),
        asking("large", requests={"cpu": "1"}, limits={"cpu": "1", "memory": "2Gi"}),
        asking("ratio", requests={"cpu": "1"}, limits={"cpu": "4"}),
        asking("fine", requests={"cpu": "1"}, limits={"cpu": "2"}),
        made_pod(
            "two",
            [
                container(resources={"requests": {"cpu": "1"}, "limits": {"cpu": "3"}}),
                container("d", resources={"requests": {"cpu": "1m"}, "limits": {"cpu": "1m"}}),
            ],
        ),
    ],
    "bounds of pods": [
        limits("a", {"type": "Pod", "min": {"cpu": "1"}, "max": {"cpu": "3"}}),
        asking("none"),
        asking("small", requests={"cpu": "500m"}, limits={"cpu": "1"}),
        asking("large", requests={"cpu": "2"}, limits={"cpu": "4"}),
        made_pod(
            "sum",
            [
                container(resources={"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}),
                container("d", resources={"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}),
            ],
        ),
        made_pod(
            "init",
            [container(resources={"limits": {"cpu": "1"}})],
            initContainers=[container("i", resources={"limits": {"cpu": "4"}})],
        ),
        made_pod(
            "sidecar",
            [container(resources={"limits": {"cpu": "1"}})],
            initContainers=[
                container("i", resources={"limits": {"cpu": "1"}}, restartPolicy="Always"),
                container("j", resources={"limits": {"cpu": "3"}}),
            ],
        ),
    ],
    "bounds of claims": [
        limits("a", {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "2Gi"}}),
        made(PVC, claim("small", resources={"requests": {"storage": "1Mi"}})),
        made(PVC, claim("large", resources={"requests": {"storage": "3Gi"}})),
        made(PVC, claim("fine")),
    ],
    "before validation or after": [
        limits("a", {"type": "Container", "min": {"cpu": "1"}}),
        made_pod("BAD", [container(resources={"requests": {"cpu": "1m"}})]),
        asking("mine", limits={"cpu": "1"}, requests={"cpu": "2"}),
    ],
}
