"""SealedSecrets that two controllers are given, with what was there before them; a data table."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plumbline.base.json import JsonObject

HOME = "shop"
_BITNAMI = "sealedsecrets.bitnami.com"
MANAGED, PATCH, SKIP = (f"{_BITNAMI}/{name}" for name in ("managed", "patch", "skip-set-owner-references"))


@dataclass(frozen=True, kw_only=True)
class Case:
    name: str
    why: str
    values: Mapping[str, str] = field(default_factory=lambda: {"password": "hunter2"})
    scope: str = "strict"
    sealed_as: str = ""
    """The name that it is sealed for, if not its own."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    """Of the SealedSecret, beside its scope's."""
    template: JsonObject = field(default_factory=dict)
    """What is put into the template after sealing."""
    spec: JsonObject = field(default_factory=dict)
    """What replaces parts of the spec."""
    before: JsonObject | None = None
    """A Secret that is there already."""
    synced: str = "True"


def _there(name: str, *, annotations: Mapping[str, str] | None = None, **parts: Any) -> JsonObject:
    metadata = {
        "name": name,
        "namespace": HOME,
        "labels": {"whose": "somebody"},
        "annotations": {"noted": "by somebody", **(annotations or {})},
    }
    values = {"password": "old", "kept": "by somebody"}
    coded = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": coded, **parts}


_META = {"labels": {"app": "shop"}, "annotations": {"team": "checkout"}}

CASES = (
    Case(name="strict", why="one value, bound to its place"),
    Case(name="wide", scope="namespace-wide", why="bound to its namespace"),
    Case(name="wide-renamed", scope="namespace-wide", sealed_as="wide-before", why="renamed within its namespace"),
    Case(name="everywhere", scope="cluster-wide", why="bound to nothing"),
    Case(name="everywhere-renamed", scope="cluster-wide", sealed_as="any", why="renamed, bound to nothing"),
    Case(name="renamed", sealed_as="another", synced="False", why="strict, and renamed"),
    Case(name="widened", annotations={f"{_BITNAMI}/cluster-wide": "true"}, synced="False", why="said to be wider"),
    Case(name="narrowed", scope="cluster-wide", annotations={f"{_BITNAMI}/cluster-wide": "yes"}, synced="False", why="not exactly true"),
    Case(name="several", values={"a": "1", "b": "zwei", "c.d-e_f": "x" * 3000}, why="several values"),
    Case(name="odd", values={"empty": "", "lines": "a\nb\n", "letters": "äöü €", "nul": "a\0b"}, why="odd values"),
    Case(name="labelled", template={"metadata": _META}, why="labels and annotations for the Secret"),
    Case(name="elsewhere", template={"metadata": {"name": "other", "namespace": "default"}}, why="a template's place is not its own"),
    Case(name="typed", values={"username": "u", "password": "p"}, template={"type": "kubernetes.io/basic-auth"}, why="another type"),
    Case(name="pulling", values={".dockerconfigjson": '{"auths":{}}'}, template={"type": "kubernetes.io/dockerconfigjson"}, why="a type whose content is checked"),
    Case(name="mistyped", template={"type": "kubernetes.io/dockerconfigjson"}, synced="False", why="a type that lacks its key"),
    Case(name="fixed", template={"immutable": True}, why="made immutable"),
    Case(name="templated", template={"data": {"url": "db://{{ .password }}@host", "upper": "{{ .password | upper | quote }}"}}, why="templates over values"),
    Case(name="colliding", template={"data": {"password": "from the template"}}, why="what was encrypted wins"),
    Case(name="failing", template={"data": {"x": "{{ fail .password }}"}}, synced="False", why="a template that fails"),
    Case(name="malformed", template={"data": {"x": "{{ .password"}}, synced="False", why="a template that is none"),
    Case(name="environment", template={"data": {"x": '{{ env "HOME" }}'}}, synced="False", why="a function that there must not be"),
    Case(name="absent", template={"data": {"x": "[{{ .nobody }}]"}}, why="a value that there is not"),
    Case(name="unowned", template={"metadata": {"annotations": {SKIP: "true"}}}, why="made without an owner"),
    Case(name="unowned-managed", template={"metadata": {"annotations": {SKIP: "true", MANAGED: "true"}}}, why="without an owner, and managed"),
    Case(name="taken", before=_there("taken"), synced="False", why="somebody else's is there"),
    Case(name="managed", before=_there("managed", annotations={MANAGED: "true"}), why="somebody else's, given away"),
    Case(name="managed-kept", template={"metadata": {"annotations": {MANAGED: "true"}}}, before=_there("managed-kept", annotations={MANAGED: "true"}), why="given away for good"),
    Case(name="patched", before=_there("patched", annotations={PATCH: "true"}), template={"metadata": _META}, why="added to somebody's"),
    Case(name="patched-managed", before=_there("patched-managed", annotations={PATCH: "true", MANAGED: "true"}), why="added to, and owned"),
    Case(name="fixed-before", before=_there("fixed-before", annotations={MANAGED: "true"}, immutable=True), synced="False", why="somebody's cannot be changed"),
    Case(name="other-type", before=_there("other-type", annotations={MANAGED: "true"}, type="example.org/x"), synced="False", why="the type of a Secret does not change"),
    Case(name="garbage", spec={"encryptedData": {"password": "AgBub3RoaW5n"}}, synced="False", why="not sealed at all"),
    Case(name="no-base64", spec={"encryptedData": {"password": "%%%"}}, synced="False", why="not even base64"),
    Case(name="removed", template={"data": {"password": None, "x": "{{ .password }}"}}, why="taken out by the template"),
    Case(name="held", template={"metadata": {"finalizers": ["example.org/held"]}}, why="with a finalizer"),
    Case(name="token", template={"type": "kubernetes.io/service-account-token", "metadata": {"annotations": {"kubernetes.io/service-account.name": "default"}}}, synced="False", why="the token of a service account"),
    Case(name="empty", spec={"encryptedData": {}}, why="nothing in it"),
)  # fmt: skip
