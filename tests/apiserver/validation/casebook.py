"""Broken manifests: a base that is fine, and what is changed in it. Each file of cases holds bases and cases.

A change is `path: value` with slashes between fields (`~1` for a slash in a key); null removes; `x*300` is that many x.
What the real server answers to each case is recorded beside it, by the conformance test.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from plumbline.apiserver.defaults import defaulted
from plumbline.apiserver.fielderrors import FieldError
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.validation import (
    validated_create,
    validated_subresource_update,
    validated_update,
)
from plumbline.base.documents import load_documents
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import builtin_shape
from plumbline.kube.schema.typed import typed_form

FOLDER = Path(__file__).parent / "cases"
RECORD = Path(__file__).parent / "recorded.jsonl"
NAMESPACE = "validation"
RESOURCES = {resource.kind: resource for resource in builtin_resources()}
_repeated = re.compile(r"(.)\*([0-9]+)").fullmatch
_KEEPS_STATUS = {"Node"}
_SERVER_MADE = {"uid": "8a7b1c9e", "resourceVersion": "7", "creationTimestamp": "2030-01-01T00:00:00Z"}


class Case(NamedTuple):
    file: str
    base: str
    why: str
    verb: str
    changes: JsonObject
    loose: bool
    """Whether complaints come in no order, because upstream walks a map."""
    manifest: JsonObject
    live: bool
    """Whether the base is the server's own object."""
    through: str
    """Which subresource gives the base its status."""

    @property
    def id(self) -> str:
        return f"{self.file}: {self.base} {self.verb}: {self.why}"

    @property
    def gvk(self) -> GroupVersionKind:
        return GroupVersionKind.of(self.manifest)


@cache
def cases() -> tuple[Case, ...]:
    return tuple(case for path in sorted(FOLDER.glob("*.yaml")) for case in _cases_of(path))


def recorded() -> dict[str, list[list[str]]]:
    return dict(map(decode, RECORD.read_bytes().splitlines()))


def record(answers: dict[str, list[list[str]]]) -> None:
    RECORD.write_bytes(b"".join(encode(each) + b"\n" for each in sorted(answers.items())))


def _cases_of(path: Path) -> Iterator[Case]:
    (document,) = load_documents(path.read_text())
    book = document.value
    for each in book["cases"]:
        manifest = dict(book["bases"][each["of"]])
        live, through = manifest.pop("live", False), manifest.pop("through", "status")
        yield Case(
            path.stem,
            each["of"],
            each["why"],
            each.get("verb", "create"),
            _spelled_out(each["set"]),
            each.get("loose", False),
            _in_namespace(manifest),
            live,
            through,
        )


def _spelled_out(value: Json) -> Json:
    if isinstance(value, dict):
        return {_spelled_out(key): _spelled_out(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_spelled_out(each) for each in value]
    found = _repeated(value) if isinstance(value, str) else None
    return found[1] * int(found[2]) if found else value


def _in_namespace(manifest: JsonObject) -> JsonObject:
    if not RESOURCES[GroupVersionKind.of(manifest)].namespaced:
        return manifest
    return {**manifest, "metadata": {**manifest["metadata"], "namespace": NAMESPACE}}


def changed(obj: JsonObject, changes: JsonObject) -> JsonObject:
    """A copy of *obj* with *changes* made."""
    copy = decode(encode(obj))
    for path, value in changes.items():
        *parents, last = (part.replace("~1", "/") for part in path.split("/"))
        place = copy
        for parent in parents:
            place = place[int(parent)] if isinstance(place, list) else place.setdefault(parent, {})
        if isinstance(place, list):
            place[int(last)] = value
        elif value is None:
            place.pop(last, None)
        else:
            place[last] = value
    return copy


def sent(case: Case) -> JsonObject:
    return changed(case.manifest, case.changes)


def stored(case: Case) -> JsonObject:
    """The base as a server would hold it."""
    metadata = {**case.manifest["metadata"], **_SERVER_MADE}
    return ready(case.gvk, {**case.manifest, "metadata": metadata})


def complaints(case: Case, new: JsonObject, old: JsonObject | None) -> list[FieldError]:
    """Ours about storing *new*, in the place of *old* if there is one."""
    gvk = case.gvk
    if old is None:
        return validated_create(gvk, ready(gvk, new))
    before, after = ready(gvk, old), ready(gvk, new)
    if case.verb == "update":
        return validated_update(gvk, _with_status_of(after, before, gvk), before)
    return validated_subresource_update(gvk, case.verb, after, before)


def ready(gvk: GroupVersionKind, obj: JsonObject) -> JsonObject:
    """*obj* as validation gets it: typed, with defaults, and with what strategies do that matters here."""
    shape = builtin_shape(gvk)
    held = defaulted(gvk, typed_form(obj, shape) if shape else obj)
    return _PREPARED.get(gvk.kind, lambda obj: obj)(held)


def _service(service: JsonObject) -> JsonObject:
    spec = service.get("spec") or {}
    if spec.get("clusterIP") and not spec.get("clusterIPs"):
        spec = {**spec, "clusterIPs": [spec["clusterIP"]]}
    return {**service, "spec": spec}


def _claim(claim: JsonObject) -> JsonObject:
    spec = claim.get("spec") or {}
    source = spec.get("dataSource") or spec.get("dataSourceRef")
    return {**claim, "spec": {"dataSource": source, "dataSourceRef": source, **spec}} if source else claim


_PREPARED = {"PersistentVolumeClaim": _claim, "Service": _service}


def _with_status_of(new: JsonObject, old: JsonObject, gvk: GroupVersionKind) -> JsonObject:
    if gvk.kind in _KEEPS_STATUS or "status" not in old:
        return new
    return {**new, "status": old["status"]}
