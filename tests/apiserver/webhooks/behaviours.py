"""How the webhooks of the scenes behave: by the first segment of their path."""

import base64
from collections.abc import Callable, Mapping
from typing import Any

from tests.apiserver.webhooks.hookserver import Asked, Behaviour, Said, patch, review

from plumbline.base.json import Json


def said(body: Json | bytes, status: int = 200, **headers: str) -> Behaviour:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: Said(body, status, named)


def text(status: int, words: bytes = b"bad") -> Behaviour:
    return said(words, status, Content_Type="text/plain")


def reviewed(**response: Any) -> Behaviour:
    return lambda asked: review(asked, **response)


def patching(*operations: Json) -> Behaviour:
    return lambda asked: patch(asked, list(operations))


def encoded(body: bytes) -> str:
    return base64.b64encode(body).decode()


def other(**fields: Json) -> Callable[[Asked], Said]:
    """A review with some of its head missing or wrong."""

    def behaviour(asked: Asked) -> Said:
        answer = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", **fields}
        answer.setdefault("response", {"uid": asked.request["uid"], "allowed": True})
        return Said({name: value for name, value in answer.items() if value is not None})

    return behaviour


def labelled(asked: Asked) -> Said:
    """Counts how often it has been asked, in a label of the object."""
    labels = asked.request["object"]["metadata"].get("labels") or {}
    key = asked.path.rsplit("/", 1)[-1]
    count = int(labels.get(key, "0")) + 1
    if not labels:
        return patch(asked, [{"op": "add", "path": "/metadata/labels", "value": {key: str(count)}}])
    return patch(asked, [{"op": "add", "path": f"/metadata/labels/{key}", "value": str(count)}])


TEAPOT = {
    "code": 418,
    "message": "teapot",
    "reason": "Teapot",
    "status": "Success",
    "details": {"name": "x", "causes": [{"message": "m", "field": "f"}], "retryAfterSeconds": 7},
}
STATUS = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "own words", "reason": "Forbidden"}

BEHAVIOURS: Mapping[str, Behaviour] = {
    "deny-silently": reviewed(allowed=False),
    "deny-message": reviewed(allowed=False, status={"message": "no way"}),
    "deny-reason": reviewed(allowed=False, status={"code": 200, "reason": "Because"}),
    "deny-teapot": reviewed(allowed=False, status=TEAPOT),
    "deny-metadata": reviewed(
        allowed=False, status={"code": 503, "message": "x", "metadata": {"resourceVersion": "7"}}
    ),
    "deny-patched": reviewed(allowed=False, patch=encoded(b"[]"), patchType="JSONPatch", warnings=["seen"]),
    **{f"text-{code}": text(code) for code in (302, 400, 401, 403, 404, 405, 406, 409, 410, 415, 418, 422, 429)},
    **{f"text-{code}": text(code) for code in (500, 502, 503, 504)},
    "status-403": said({**STATUS, "code": 403}, 403),
    "status-500": said({**STATUS, "code": 500}, 500),
    "html-500": said(b"<html><body>oh\nno</body></html>", 500, Content_Type="text/html"),
    "json-500": said(b'{"oh":"no"}', 500),
    "nothing-500": text(500, b""),
    "nothing-200": said(b""),
    "created": lambda asked: Said(other()(asked).body, 201),
    "text-200": said(b"hello"),
    "html-200": said(b"<html>", Content_Type="text/html"),
    "list": said(b"[]"),
    "number": said(b"1"),
    "empty": said(b"{}"),
    "no-kind": other(kind=None, apiVersion=None),
    "pod": other(kind="Pod", apiVersion="v1"),
    "older": other(apiVersion="admission.k8s.io/v1beta1"),
    "a-status": other(kind="Status", apiVersion="v1"),
    "no-response": lambda _: Said({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}),
    "other-uid": reviewed(uid="other"),
    "no-uid": other(response={"allowed": True}),
    "allowed-text": reviewed(allowed="yes"),
    "warnings-text": reviewed(warnings="yes"),
    "status-text": reviewed(status="yes"),
    "patch-number": reviewed(patch=5),
    "patch-garbled": reviewed(patch="%%%", patchType="JSONPatch"),
    "patch-untyped": reviewed(patch=encoded(b"[]")),
    "patch-missing": reviewed(patchType="JSONPatch"),
    "patch-merge": reviewed(patch=encoded(b'[{"op":"remove","path":"/data/k"}]'), patchType="Merge"),
    "patch-typeless": reviewed(patch=encoded(b"[]"), patchType=""),
    "patch-object": reviewed(patch=encoded(b"{}"), patchType="JSONPatch"),
    "patch-broken": reviewed(patch=encoded(b"[1"), patchType="JSONPatch"),
    "patch-empty": reviewed(patch=encoded(b"[]"), patchType="JSONPatch"),
    "patch-test": patching({"op": "test", "path": "/data/k", "value": "other"}),
    "patch-odd": patching({"op": "frob", "path": "/data/k", "value": "other"}),
    "patch-nowhere": patching({"op": "remove", "path": "/data/zz"}),
    "patch-all": patching({"op": "replace", "path": "", "value": {}}),
    "patch-name": patching({"op": "replace", "path": "/metadata/name", "value": "other"}),
    "patch-namespace": patching({"op": "replace", "path": "/metadata/namespace", "value": "other"}),
    "patch-invalid": patching({"op": "add", "path": "/metadata/labels", "value": {"a b": "c"}}),
    "patch-managers": patching({"op": "remove", "path": "/metadata/managedFields"}),
    "patch-bad-managers": patching({"op": "replace", "path": "/metadata/managedFields/0/operation", "value": "Odd"}),
    "patch-data": patching(
        {"op": "add", "path": "/data/new", "value": "x"}, {"op": "replace", "path": "/data/k", "value": "changed"}
    ),
    "patch-mistyped": patching({"op": "add", "path": "/data/k", "value": 5}),
    "patch-unknown": patching({"op": "add", "path": "/bogus", "value": {"a": 1}}),
    "patch-kind": patching({"op": "replace", "path": "/kind", "value": "Namespace"}),
    "patch-version": patching({"op": "replace", "path": "/apiVersion", "value": "v9"}),
    "patch-list": patching({"op": "replace", "path": "", "value": []}),
    "patch-immutable": patching({"op": "add", "path": "/immutable", "value": True}),
    "patch-items": reviewed(patch=encoded(b'[1,"x"]'), patchType="JSONPatch"),
    "patch-null": reviewed(patch=encoded(b"null"), patchType="JSONPatch"),
    "patch-same": patching({"op": "replace", "path": "/data/k", "value": "v"}),
    "patch-pod": patching({"op": "add", "path": "/spec/tolerations/-", "value": {"key": "k", "operator": "Exists"}}),
    "patch-scale": patching({"op": "replace", "path": "/spec/replicas", "value": 5}),
    "patch-target": patching({"op": "replace", "path": "/target/name", "value": "n9"}),
    "patch-min": patching({"op": "add", "path": "/spec/minReplicas", "value": 2}),
    "warn": reviewed(warnings=["first", "", 'second "q"', "first"]),
    "warn-long": reviewed(warnings=["first", "x" * 5000, "y" * 300]),
    "warn-much": reviewed(warnings=[f"{n} {'z' * 200}" for n in range(30)]),
    "warn-control": reviewed(warnings=["a\nb", "ok"]),
    "notes": reviewed(auditAnnotations={"a": "b"}, bogus=1),
    "label": labelled,
}
