"""Namespaces, and what is in them."""

from collections.abc import Mapping

from tests.apiserver.scripts.steps import Script, Step
from tests.apiserver.strategies.turns.samples import APPLY, changed, made, pod

SCRIPTS: Mapping[str, Script] = {
    "namespaces": [
        made(
            "/api/v1/namespaces",
            {
                "metadata": {"name": "{ns}-b", "labels": {"kubernetes.io/metadata.name": "wrong"}},
                "spec": {"finalizers": ["x.io/y"]},
                "status": {"phase": "Terminating"},
            },
        ),
        made("/api/v1/namespaces", {"metadata": {"generateName": "made-"}}),
        changed("/api/v1/namespaces/{ns}-b", lambda _: {"metadata": {"name": "{ns}-b"}}),
        Step("GET", "/api/v1/namespaces/{ns}-b"),
        changed(
            "/api/v1/namespaces/{ns}-b/finalize",
            lambda obj: {**obj, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Terminating"}},
        ),
        Step("DELETE", "/api/v1/namespaces/{ns}-b"),
        Step("DELETE", "/api/v1/namespaces/{ns}-b"),
        made("/api/v1/namespaces/{ns}-b/configmaps", {"metadata": {"name": "late"}}),
        made("/api/v1/namespaces/{ns}-b/pods", pod()),
        made("/api/v1/namespaces", {"metadata": {"name": "{ns}-b"}}),
        Step("GET", "/api/v1/namespaces/{ns}-b"),
        changed("/api/v1/namespaces/{ns}-b/finalize", lambda obj: {**obj, "spec": {}}),
        Step("GET", "/api/v1/namespaces/{ns}-b"),
    ],
    "namespaces that stay": [
        Step("DELETE", "/api/v1/namespaces/default"),
        Step("DELETE", "/api/v1/namespaces/kube-system"),
        Step("DELETE", "/api/v1/namespaces/kube-public"),
        Step("DELETE", "/api/v1/namespaces/none-such"),
    ],
    "namespaces that are not there": [
        made("/api/v1/namespaces/none-such/configmaps", {"metadata": {"name": "BAD"}}),
        made("/api/v1/namespaces/none-such/pods", pod("BAD")),
        Step("PUT", "/api/v1/namespaces/none-such/configmaps/a", {"metadata": {"name": "a"}}),
        Step(
            "PATCH",
            "/api/v1/namespaces/none-such/configmaps/a",
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}},
            {"fieldManager": "m"},
            type=APPLY,
        ),
        Step("DELETE", "/api/v1/namespaces/none-such/configmaps/a"),
        Step("GET", "/api/v1/namespaces/none-such/configmaps"),
    ],
}
