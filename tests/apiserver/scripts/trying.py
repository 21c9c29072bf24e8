"""Dry runs of every verb: answered as if they were done, and nothing is."""

from tests.apiserver.scripts.samples import (
    APPLY,
    CM,
    DEPLOY,
    DRY,
    JSON_PATCH,
    MERGE,
    STRATEGIC,
    cm,
    deploy,
    made,
    version,
)
from tests.apiserver.scripts.steps import Script, Step

_DRY_DELETE = {"dryRun": ["All"]}

SCRIPTS: dict[str, Script] = {
    "dry runs of all verbs": [
        made(),
        Step("POST", CM, cm("b"), DRY),
        Step("POST", CM, cm(), DRY),
        Step("POST", CM, cm(metadata={"generateName": "g-"}), DRY),
        Step("PUT", f"{CM}/a", cm(data={"x": "y"}), DRY),
        Step("PUT", f"{CM}/a", cm(), DRY),
        Step("PUT", f"{CM}/none", cm("none"), DRY),
        Step("PUT", f"{CM}/a", cm(metadata={"name": "a", "resourceVersion": "1"}), DRY),
        Step("PATCH", f"{CM}/a", {"data": {"x": "y"}}, DRY, type=MERGE),
        Step("PATCH", f"{CM}/a", {"data": {"x": "y"}}, DRY, type=STRATEGIC),
        Step("PATCH", f"{CM}/a", [{"op": "add", "path": "/data/x", "value": "y"}], DRY, type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", cm(data={"x": "y"}), {**DRY, "fieldManager": "m"}, type=APPLY),
        Step("PATCH", f"{CM}/new", cm("new"), {**DRY, "fieldManager": "m"}, type=APPLY),
        Step("DELETE", f"{CM}/a", _DRY_DELETE),
        Step("DELETE", f"{CM}/a", {**_DRY_DELETE, "propagationPolicy": "Foreground"}),
        Step("DELETE", f"{CM}/none", _DRY_DELETE),
        Step("DELETE", CM, _DRY_DELETE),
        Step("GET", CM),
        # What follows has the revision of what went before: dry runs use none up.
        Step("GET", CM, query=lambda past: {"watch": "1", "timeoutSeconds": "1", "resourceVersion": version(past, 0)}),
    ],
    "dry runs of subresources": [
        Step("POST", DEPLOY, deploy()),
        Step("PUT", f"{DEPLOY}/web/status", {**deploy(), "status": {"replicas": 2}}, DRY),
        Step("PATCH", f"{DEPLOY}/web/status", {"status": {"replicas": 2}}, DRY, type=MERGE),
        Step("PATCH", f"{DEPLOY}/web/scale", {"spec": {"replicas": 2}}, DRY, type=MERGE),
        Step("PUT", f"{DEPLOY}/web/scale", {"metadata": {"name": "web", "namespace": "{ns}"}, "spec": {"replicas": 2}}, DRY),
        Step("GET", f"{DEPLOY}/web"),
        Step("PUT", "/api/v1/namespaces/{ns}/finalize", {"metadata": {"name": "{ns}"}}, DRY),
        Step("PUT", "/api/v1/namespaces/{ns}/status", {"metadata": {"name": "{ns}"}, "status": {"phase": "Odd"}}, DRY),
        Step("DELETE", "/api/v1/namespaces/{ns}", _DRY_DELETE),
        Step("GET", "/api/v1/namespaces/{ns}"),
    ],
    "finalizers in a dry run": [
        made("a", metadata={"name": "a", "finalizers": ["example.org/x"]}),
        Step("DELETE", f"{CM}/a", _DRY_DELETE),
        Step("GET", f"{CM}/a"),
        Step("DELETE", f"{CM}/a"),
        Step("PATCH", f"{CM}/a", {"metadata": {"finalizers": None}}, DRY, type=MERGE),
        Step("GET", f"{CM}/a"),
    ],
}  # fmt: skip
