"""The scale subresource of every workload that has one."""

from typing import Any

from tests.apiserver.scripts.samples import (
    APPLY,
    DEPLOY,
    JSON_PATCH,
    MERGE,
    RC,
    RS,
    STRATEGIC,
    STS,
    TABLE,
    deploy,
    template,
)
from tests.apiserver.scripts.steps import Script, Step


def scaled(replicas: int, name: str = "w", **metadata: str) -> dict[str, Any]:
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": name, **metadata},
        "spec": {"replicas": replicas},
    }


_SELECTOR = {
    "matchLabels": {"app": "web"},
    "matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["x", "a"]}],
}
WORKLOADS: dict[str, dict[str, Any]] = {
    DEPLOY: deploy("w"),
    RS: {"metadata": {"name": "w"}, "spec": {"replicas": 2, "selector": _SELECTOR, "template": template()}},
    STS: {"metadata": {"name": "w"}, "spec": {"serviceName": "w", "selector": _SELECTOR, "template": template()}},
    RC: {"metadata": {"name": "w"}, "spec": {"template": template()}},
}

SCRIPTS: dict[str, Script] = {
    "scale": [
        Step("POST", DEPLOY, deploy()),
        Step("GET", f"{DEPLOY}/web/scale"),
        Step("PATCH", f"{DEPLOY}/web/scale", {"spec": {"replicas": 4}}, type=MERGE),
        Step("PUT", f"{DEPLOY}/web/scale", {"metadata": {"name": "web", "namespace": "{ns}"}, "spec": {"replicas": 2}}),
        Step("PATCH", f"{DEPLOY}/web/scale", {"spec": {"replicas": -1}}, type=MERGE),
        Step("GET", f"{DEPLOY}/none/scale"),
        Step("GET", f"{DEPLOY}/web"),
    ],
    **{f"scale of {path.rsplit('/', 1)[1]}": [
        Step("POST", path, obj),
        Step("GET", f"{path}/w/scale"),
        Step("PATCH", f"{path}/w/scale", {"spec": {"replicas": 3}}, {"fieldManager": "patcher"}, type=MERGE),
        Step("PATCH", f"{path}/w/scale", [{"op": "replace", "path": "/spec/replicas", "value": 4}], type=JSON_PATCH),
        Step("PATCH", f"{path}/w/scale", {"spec": {"replicas": 5}}, type=STRATEGIC),
        Step("PATCH", f"{path}/w/scale", scaled(6), {"fieldManager": "applier"}, type=APPLY),
        Step("PATCH", f"{path}/w/scale", scaled(6), {"fieldManager": "applier", "force": "true"}, type=APPLY),
        Step("PATCH", f"{path}/w/scale", scaled(6), {"fieldManager": "applier"}, type=APPLY),
        Step("PUT", f"{path}/w/scale", lambda past: {**past[-1].json, "spec": {"replicas": 7}}, {"fieldManager": "putter"}),
        Step("PUT", f"{path}/w/scale", lambda past: {**past[1].json, "spec": {"replicas": 8}}),
        Step("PUT", f"{path}/w/scale", scaled(0, namespace="{ns}"), {"dryRun": "All"}),
        Step("PUT", f"{path}/w/scale", scaled(0, namespace="{ns}")),
        Step("GET", f"{path}/w/scale"),
        Step("GET", f"{path}/w"),
    ] for path, obj in WORKLOADS.items()},
    "scale of what is not": [
        Step("POST", DEPLOY, deploy("w")),
        Step("PUT", f"{DEPLOY}/w/scale", scaled(1, name="other", namespace="{ns}")),
        Step("PUT", f"{DEPLOY}/w/scale", scaled(1)),
        Step("PUT", f"{DEPLOY}/w/scale", scaled(1, namespace="elsewhere")),
        Step("PUT", f"{DEPLOY}/w/scale", {"kind": "Scale", "apiVersion": "autoscaling/v9", "metadata": {"name": "w"}}),
        Step("PUT", f"{DEPLOY}/w/scale", {"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "w"}}),
        Step("PUT", f"{DEPLOY}/w/scale", scaled(1, uid="other", namespace="{ns}")),
        Step("PUT", f"{DEPLOY}/w/scale", scaled(1, resourceVersion="1", namespace="{ns}")),
        Step("PUT", f"{DEPLOY}/w/scale", scaled(-1, namespace="{ns}")),
        Step("PUT", f"{DEPLOY}/w/scale", {**scaled(1, namespace="{ns}"), "spec": {"replicas": "x"}}),
        Step("PUT", f"{DEPLOY}/w/scale", {**scaled(1, namespace="{ns}"), "bogus": 1}, {"fieldValidation": "Strict"}),
        Step("PUT", f"{DEPLOY}/w/scale", b"{"),
        Step("PUT", f"{DEPLOY}/none/scale", scaled(1, name="none", namespace="{ns}")),
        Step("PATCH", f"{DEPLOY}/none/scale", {"spec": {"replicas": 1}}, type=MERGE),
        Step("PATCH", f"{DEPLOY}/none/scale", scaled(1, name="none"), {"fieldManager": "m"}, type=APPLY),
        Step("PATCH", f"{DEPLOY}/w/scale", {"spec": {"replicas": None}}, type=MERGE),
        Step("PATCH", f"{DEPLOY}/w/scale", {"spec": {"replicas": "x"}}, type=MERGE),
        Step("PATCH", f"{DEPLOY}/w/scale", {"metadata": {"resourceVersion": "1"}, "spec": {"replicas": 1}}, type=MERGE),
        Step("PATCH", f"{DEPLOY}/w/scale", {"metadata": {"labels": {"a": "b"}}, "status": {"replicas": 9}}, type=MERGE),
        Step("PATCH", f"{DEPLOY}/w/scale", {}, type="application/json"),
        Step("POST", f"{DEPLOY}/w/scale", scaled(1)),
        Step("DELETE", f"{DEPLOY}/w/scale"),
        Step("GET", f"{DEPLOY}/w/scale", accept="application/yaml"),
        Step("GET", f"{DEPLOY}/w/scale", accept=TABLE),
        Step("GET", f"{DEPLOY}/w/scale", query={"resourceVersion": "99999999"}, compared=False),
        Step("GET", "/apis/apps/v1/namespaces/{ns}/daemonsets/w/scale"),
        Step("GET", f"{DEPLOY}/w"),
    ],
}  # fmt: skip
