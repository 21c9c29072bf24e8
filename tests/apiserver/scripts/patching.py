"""The four patches."""

from tests.apiserver.scripts.samples import APPLY, CM, DEPLOY, JSON_PATCH, MERGE, STRATEGIC, cm, deploy, made
from tests.apiserver.scripts.steps import Script, Step

SCRIPTS: dict[str, Script] = {
    "merge patch": [
        made(),
        Step("PATCH", f"{CM}/a", {"data": {"x": "y", "k": None}}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"data": {"x": "y"}}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"metadata": {"name": "b"}}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"metadata": {"resourceVersion": "1"}}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"data": {"x": 1}}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"bogus": 1}, {"fieldValidation": "Strict"}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"bogus": 1}, type=MERGE),
        Step("PATCH", f"{CM}/a", b"{", type=MERGE),
        Step("PATCH", f"{CM}/a", b"[]", type=MERGE),
        Step("PATCH", f"{CM}/none", {}, type=MERGE),
        Step("PATCH", f"{CM}/a", {}, type="application/json"),
        Step("PATCH", f"{CM}/a", {}, {"force": "true"}, type=MERGE),
        Step("PATCH", f"{CM}/a", {"data": {"dry": "run"}}, {"dryRun": "All"}, type=MERGE),
        Step("GET", f"{CM}/a"),
    ],
    "json patch": [
        made(),
        Step("PATCH", f"{CM}/a", [{"op": "add", "path": "/data/x", "value": "y"}], type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", [{"op": "test", "path": "/data/x", "value": "z"}], type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", [{"op": "remove", "path": "/data/none"}], type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", [{"op": "odd", "path": "/data/none"}], type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", {"op": "add"}, type=JSON_PATCH),
        Step("PATCH", f"{CM}/a", [{"op": "test", "path": "/data/x", "value": "y"}] * 10_001, type=JSON_PATCH),
    ],
    "strategic patch": [
        Step("POST", DEPLOY, deploy()),
        Step("PATCH", f"{DEPLOY}/web", {"spec": {"template": {"spec": {"containers": [{"name": "d", "image": "x"}]}}}}, type=STRATEGIC),
        Step("PATCH", f"{DEPLOY}/web", {"spec": {"template": {"spec": {"containers": [{"image": "x"}]}}}}, type=STRATEGIC),
        Step("PATCH", f"{DEPLOY}/web", {"spec": {"replicas": 3}}, type=STRATEGIC),
        Step("PATCH", f"{DEPLOY}/web", {"spec": {"selector": {"matchLabels": {"app": "other"}}}}, type=STRATEGIC),
    ],
    "apply": [
        Step("PATCH", f"{CM}/a", cm(), type=APPLY),
        Step("PATCH", f"{CM}/a", cm(), {"fieldManager": "m1"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(), {"fieldManager": "m1"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(data={"k": "w"}), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(data={"k": "w"}), {"fieldManager": "m2", "force": "true"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(bogus=1), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm("b"), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(apiVersion="v2"), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(kind="Secret"), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", b"a: [", {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", b"[]", {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(metadata={"name": "a", "managedFields": []}), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(metadata={"name": "a", "resourceVersion": "1"}), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/a", cm(data={"k": 1}), {"fieldManager": "m2"}, type=APPLY),
        Step("PATCH", f"{CM}/dry", cm("dry"), {"fieldManager": "m2", "dryRun": "All"}, type=APPLY),
        Step("PATCH", f"{CM}/a", {"apiVersion": "v1", "kind": "ConfigMap"}, {"fieldManager": "m1"}, type=APPLY),
    ],
}  # fmt: skip
