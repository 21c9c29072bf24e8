"""Every built-in resource, every verb that it has, in every form and with every option: as scripts, one per kind."""

from collections.abc import Callable, Iterator
from functools import cache

from tests.apiserver.defaults.samples import manifests
from tests.apiserver.protobuf.written import body_of
from tests.apiserver.scripts.samples import APPLY, DRY, JSON_PATCH, MERGE, PARTIAL, PARTIALS, STRATEGIC, TABLE
from tests.apiserver.scripts.steps import Past, Script, Step
from tests.conformance.differential.dice import Dice
from tests.conformance.differential.plan import SUBJECTS
from tests.conformance.differential.subjects.subject import Subject

from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.resources.resource import STATUS_VERBS, Resource, Subresource
from plumbline.base.documents import dump_yaml
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.kube.names import GroupVersionKind

YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
FREE = "application/json"
_NOWHERE = "none.example.org"
"""A group that nothing is in: what would look at every request of the cluster looks at those for it."""
_DEFAULT_CLASSES = ("storageclass.kubernetes.io/is-default-class", "ingressclass.kubernetes.io/is-default-class")
_EVENT: JsonObject = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "seen"},
    "involvedObject": {"kind": "ConfigMap", "name": "a", "namespace": "{ns}", "apiVersion": "v1"},
    "reason": "Seen",
    "message": "it was seen",
    "type": "Normal",
    "count": 2,
    "firstTimestamp": "2026-01-01T00:00:00Z",
    "lastTimestamp": "2026-01-01T00:01:00Z",
    "source": {"component": "matrix"},
}
STIRRED = {
    "APIService": "the server looks for the service behind it and writes what it found",
    "CustomResourceDefinition": "the server accepts its names and establishes it while we look",
    "FlowSchema": "the server writes whether its priority level is there",
}
"""Kinds that the real server itself writes to, whenever it likes: only what is not stored is compared."""
CUSTOM = tuple(subject for subject in SUBJECTS if subject.crd is not None)


@cache
def seeds() -> dict[str, tuple[Resource, JsonObject]]:
    """By name: every resource that can be created, stored and read, with one object of it."""
    by_kind: dict[GroupVersionKind, JsonObject] = {GroupVersionKind.of(_EVENT): _EVENT}
    for manifest in sorted(manifests(), key=_writable, reverse=True):
        by_kind.setdefault(GroupVersionKind.of(manifest), manifest)
    stored = [each for each in builtin_resources() if {"create", "get"} <= set(each.verbs)]
    return {_name(each): (each, _tamed(by_kind[each.kind])) for each in stored} | dict(map(_custom, CUSTOM))


def _name(resource: Resource) -> str:
    return f"{resource.plural}.{resource.kind.version}.{resource.kind.group}"


def _custom(subject: Subject) -> tuple[str, tuple[Resource, JsonObject]]:
    """A CRD's resource as far as scripts need to know it."""
    status = {"status": Subresource("status", subject.gvk, STATUS_VERBS)}
    resource = Resource(
        subject.gvk, subject.plural, singular="", namespaced=subject.namespaced, subresources=status, custom=True
    )
    return _name(resource), (resource, _tamed(subject.made("{ns}", "seed", Dice(7))))


def _writable(manifest: JsonObject) -> bool:
    """Whether the encoder of the tests can write it as a client would: some manifests are odd on purpose."""
    try:
        return bool(body_of(manifest))
    except (ValueError, TypeError, KeyError, AttributeError):
        return False  # a custom one nobody can


def _tamed(manifest: JsonObject) -> JsonObject:
    """A copy that concerns nobody but itself."""
    obj = decode(encode(manifest))
    obj.pop("status", None)
    for hook in obj.get("webhooks") or ():
        for rule in hook.get("rules") or ():
            rule["apiGroups"] = [_NOWHERE]
    constraints = (obj.get("spec") or {}).get("matchConstraints") or {}
    for rule in constraints.get("resourceRules") or ():
        rule["apiGroups"] = [_NOWHERE]
    if obj["kind"] == "PriorityClass":
        obj.pop("globalDefault", None)
    for name in _DEFAULT_CLASSES:
        (obj["metadata"].get("annotations") or {}).pop(name, None)
    obj["metadata"].setdefault("labels", {})["matrix"] = "seed"
    return obj


class Plot:
    """The scripts of one resource, about one object."""

    def __init__(self, resource: Resource, seed: JsonObject) -> None:
        self._resource = resource
        self._seed = seed
        self._name = seed["metadata"]["name"]

    @property
    def _path(self) -> str:
        root = self._resource.name.root
        where = "/namespaces/{ns}" if self._resource.namespaced else ""
        return f"{root}{where}/{self._resource.plural}"

    @property
    def _one(self) -> str:
        return f"{self._path}/{self._name}"

    def script(self) -> Script:
        parts = [self._trying, self._refusing]
        if self._resource.kind.kind not in STIRRED:
            parts += [self._creating, self._reading, self._updating, self._patching, self._subresources, self._deleting]
        return [step for part in parts for step in part()]

    def _trying(self) -> Iterator[Step]:
        seed, path = self._seed, self._path
        yield Step("POST", path, seed, DRY)
        yield Step("POST", path, dump_yaml(seed).encode(), DRY, type=YAML)
        if _writable(seed):
            yield Step("POST", path, body_of(seed), DRY, type=PROTOBUF)
        yield Step("POST", path, {**seed, "bogus": 1}, {**DRY, "fieldValidation": "Strict"})
        yield Step("POST", path, {**seed, "bogus": 1}, DRY, accept=PARTIAL)
        yield Step("POST", path, {**seed, "spec": "odd", "metadata": 7}, DRY)
        yield Step("POST", path, {"apiVersion": seed["apiVersion"], "kind": seed["kind"], "metadata": {}}, DRY)
        yield Step("POST", path, {**seed, "metadata": {**seed["metadata"], "name": "Not A Name/%"}}, DRY)
        yield Step("POST", path, seed, {**DRY, "fieldManager": "x" * 129}, accept=TABLE)

    def _refusing(self) -> Iterator[Step]:
        """What is asked of an object that is not there."""
        yield Step("GET", self._one)
        yield Step("GET", self._path, query={"fieldSelector": "spec.nonsense=1"})
        yield Step("GET", self._path, query={"labelSelector": "matrix=none"}, accept=TABLE)
        yield Step("PUT", self._one, self._seed, DRY, type="text/odd")
        yield Step("PATCH", self._one, {}, type=MERGE)
        yield Step("DELETE", self._one)

    def _creating(self) -> Iterator[Step]:
        yield Step("POST", self._path, self._seed, {"fieldManager": "maker", "fieldValidation": "Strict"})
        yield Step("POST", self._path, self._seed)

    def _reading(self) -> Iterator[Step]:
        for accept in ("application/json", YAML, TABLE, PARTIAL, f"{PARTIAL},application/json"):
            yield Step("GET", self._one, accept=accept)
        yield Step("HEAD", self._one)
        yield Step("GET", f"{self._path}/none")
        chosen = {"labelSelector": "matrix=seed"}
        for accept in ("application/json", YAML, TABLE, PARTIALS):
            yield Step("GET", self._path, query=chosen, accept=accept)
        yield Step("GET", self._path, query={**chosen, "limit": "1", "includeObject": "Object"}, accept=TABLE)
        yield Step("GET", self._path, query={"fieldSelector": f"metadata.name={self._name}"})
        if "watch" in self._resource.verbs:
            initial = {
                "sendInitialEvents": "true",
                "resourceVersionMatch": "NotOlderThan",
                "allowWatchBookmarks": "true",
            }
            yield Step("GET", self._path, query={**chosen, "watch": "1", "timeoutSeconds": "4", **initial})

    def _updating(self) -> Iterator[Step]:
        if "update" not in self._resource.verbs:
            return
        yield Step("PUT", self._one, self._changed(), DRY)
        yield Step("PUT", self._one, lambda past: dump_yaml(self._changed()(past)).encode(), DRY, type=YAML)
        if _writable(self._seed):
            yield Step("PUT", self._one, lambda past: body_of(self._changed()(past)), DRY, type=PROTOBUF)
        yield Step("PUT", self._one, self._changed(), {"fieldManager": "putter"})
        yield Step("PUT", self._one, self._changed(resourceVersion="1"))
        yield Step("PUT", self._one, self._changed(resourceVersion=None), accept=TABLE)
        yield Step("PUT", self._one, self._changed(uid="other"))
        yield Step("PUT", f"{self._path}/none", self._changed(name="none", resourceVersion=None, uid=None), DRY)
        yield Step("PUT", self._one, lambda past: {**self._changed()(past), "bogus": 1}, {"fieldValidation": "Strict"})

    def _patching(self) -> Iterator[Step]:
        if "patch" not in self._resource.verbs:
            return
        labels: JsonObject = {"metadata": {"labels": {"patched": "yes"}}}
        yield Step("PATCH", self._one, labels, DRY, type=MERGE)
        yield Step("PATCH", self._one, labels, {"fieldManager": "merger"}, type=MERGE)
        yield Step("PATCH", self._one, {"metadata": {"annotations": {"a": "b"}}}, type=STRATEGIC, accept=PARTIAL)
        yield Step("PATCH", self._one, [{"op": "add", "path": "/metadata/labels/third", "value": "x"}], type=JSON_PATCH)
        yield Step("PATCH", self._one, [{"op": "test", "path": "/kind", "value": "x"}], type=JSON_PATCH)
        yield Step("PATCH", self._one, {"bogus": 1}, {**DRY, "fieldValidation": "Strict"}, type=MERGE)
        yield Step("PATCH", self._one, {"spec": "odd"}, DRY, type=MERGE)
        yield Step("PATCH", self._one, self._seed, {**DRY, "fieldManager": "applier"}, type=APPLY)
        yield Step("PATCH", self._one, self._seed, {"fieldManager": "applier", "force": "true"}, type=APPLY)
        yield Step("PATCH", self._one, self._bare(), {"fieldManager": "applier"}, type=APPLY)
        yield Step("PATCH", self._one, self._seed, type=APPLY)
        yield Step("PATCH", f"{self._path}/none", labels, type=MERGE)
        yield Step("GET", self._one)

    def _subresources(self) -> Iterator[Step]:
        if "status" not in self._resource.subresources:
            yield Step("GET", f"{self._one}/status")
            return
        status = f"{self._one}/status"
        yield Step("GET", status)
        yield Step("GET", status, accept=TABLE)
        yield Step("PUT", status, self._changed(labels={"lost": "?"}), DRY)
        yield Step("PATCH", status, {"metadata": {"labels": {"lost": "?"}}}, {"fieldManager": "merger"}, type=MERGE)
        yield Step("PATCH", status, {"status": "odd"}, DRY, type=MERGE)
        yield Step("PATCH", status, self._bare(), {**DRY, "fieldManager": "applier"}, type=APPLY)
        yield Step("DELETE", status)

    def _deleting(self) -> Iterator[Step]:
        if "delete" not in self._resource.verbs:
            return
        yield Step("DELETE", self._one, {"dryRun": ["All"]})
        yield Step("DELETE", self._one, {"preconditions": {"uid": "other"}})
        if "deletecollection" in self._resource.verbs:
            yield Step("DELETE", self._path, query={"labelSelector": "matrix=none"})
            yield Step("DELETE", self._path, query={"labelSelector": "matrix=seed", "dryRun": "All"}, accept=TABLE)
        yield Step("DELETE", self._one)
        yield Step("GET", self._one)

    def _bare(self) -> JsonObject:
        seed = self._seed
        return {"apiVersion": seed["apiVersion"], "kind": seed["kind"], "metadata": {"name": self._name}}

    def _changed(self, **metadata: Json) -> Callable[[Past], JsonObject]:
        """The object as it is, with another label, and with *metadata*; None takes a field away."""

        def changed(past: Past) -> JsonObject:
            latest = [each.body for each in past if each.status in (200, 201) and _whole(each.body, self._name)]
            obj = decode(latest[-1]) if latest else self._seed
            named = {"labels": {**(obj["metadata"].get("labels") or {}), "changed": "yes"}, **metadata}
            merged = {**obj["metadata"], **named}
            return {**obj, "metadata": {field: value for field, value in merged.items() if value is not None}}

        return changed


def _whole(body: bytes, name: str) -> bool:
    """Whether it is the object as it is stored."""
    if not body.startswith(b"{") or body.startswith(b'{"type":') or b'"resourceVersion"' not in body:
        return False
    obj = decode(body)
    partial = str(obj.get("kind")).startswith(("Partial", "Table", "Status")) or "items" in obj
    return not partial and obj.get("metadata", {}).get("name") == name and "managedFields" in obj["metadata"]
