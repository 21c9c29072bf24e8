"""Connection details of a composite, taken from what it is composed of, and the Secret that carries them."""

import base64
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from plumbline.base.errors import BadFieldPath, EvaluationFailed, FieldNotFound
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import Resource
from plumbline.composition.patching.govalues import json_text, raw
from plumbline.composition.patching.patches import FAULTS, Patch, Target
from plumbline.composition.patching.templates import ConnectionDetail, SecretTemplate
from plumbline.kube.fieldpath import Path
from plumbline.kube.gotext import quoted

SECRET_TYPE = "connection.crossplane.io/v1alpha1"  # noqa: S105 - the type of a Secret, not one


class Details:
    """*native*: as mode Resources has them, where types and names may be left out."""

    __slots__ = ("_details",)

    def __init__(self, details: Sequence[ConnectionDetail], *, native: bool) -> None:
        self._details = tuple(_inferred(each) if native else each for each in details)

    def of(self, composed: Resource) -> Mapping[str, Plaintext]:
        """What is not there (yet) is left out. Raises EvaluationFailed for a detail that makes no sense."""
        found: dict[str, Plaintext] = {}
        for each in self._details:
            if not each.name:
                raise EvaluationFailed("connection detail is missing name")
            value = _value(each, composed)
            if value is not None:
                found[each.name] = value
        return found


def _inferred(detail: ConnectionDetail) -> ConnectionDetail:
    kind = detail.type
    if kind is None:
        kind = "FromConnectionSecretKey"
        if detail.value is not None:
            kind = "FromValue"
        elif detail.from_connection_secret_key is None and detail.from_field_path is not None:
            kind = "FromFieldPath"
    name = detail.name
    if name is None and kind == "FromConnectionSecretKey":
        name = detail.from_connection_secret_key
    return ConnectionDetail(
        name=name,
        type=kind,
        from_connection_secret_key=detail.from_connection_secret_key,
        from_field_path=detail.from_field_path,
        value=detail.value,
    )


def _value(detail: ConnectionDetail, composed: Resource) -> Plaintext | None:
    if detail.type == "FromValue":
        return Plaintext(raw(_given(detail, detail.value, "value")))
    if detail.type == "FromConnectionSecretKey":
        return composed.connection.get(_given(detail, detail.from_connection_secret_key, "key"))
    if detail.type != "FromFieldPath":
        return None
    path = Path(_given(detail, detail.from_field_path, "fromFieldPath"))
    try:
        value = path.value(composed.resource)
    except (BadFieldPath, FieldNotFound):
        return None
    return Plaintext(raw(value if isinstance(value, str) else json_text(value)))


def _given(detail: ConnectionDetail, value: str | None, what: str) -> str:
    if value is None:
        raise EvaluationFailed(f"connection detail of type {quoted(detail.type or '')} {what} is not set")
    return value


class _SecretRef(NamedTuple):
    name: str
    namespace: str


class ConnectionSecret:
    """The Secret that a composite composes where the machinery has no place for connection details of its own."""

    def __init__(self, template: SecretTemplate | None) -> None:
        self._template = template or SecretTemplate()
        self._patches = tuple(
            Patch(each, ("composite", "composed"), native=False) for each in self._template.patches or ()
        )

    def composed(self, composite: JsonObject, details: Mapping[str, Plaintext]) -> Resource:
        """Raises EvaluationFailed."""
        try:
            ref = self._patched(composite, self._ref(composite))
        except EvaluationFailed as fault:
            raise EvaluationFailed(f"cannot generate connection secret reference: {fault}") from fault
        metadata = {key: value for key, value in (("name", ref.name), ("namespace", ref.namespace)) if value}
        # What a Secret is for: its content is opened here and goes to the API server only.
        content = {key: base64.b64encode(value.reveal()).decode() for key, value in details.items()}
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": SECRET_TYPE, "data": content}
        return Resource(secret, ready="True")

    def _ref(self, composite: JsonObject) -> _SecretRef:
        spec = composite.get("spec")
        own = spec.get("writeConnectionSecretToRef") if isinstance(spec, dict) else None
        if isinstance(own, dict):
            name, namespace = own.get("name", ""), own.get("namespace", "")
            if isinstance(name, str) and isinstance(namespace, str):
                return _SecretRef(name, namespace)
        given = _SecretRef(self._template.name or "", self._template.namespace or "")
        if any(given):
            return given
        metadata = composite.get("metadata") or {}
        return _SecretRef(f"{metadata.get('name', '')}-connection", metadata.get("namespace", ""))

    def _patched(self, composite: JsonObject, ref: _SecretRef) -> _SecretRef:
        target = Target({"apiVersion": "v1", "kind": "SecretReference", **ref._asdict()})
        for at, each in enumerate(self._patches):
            if each.kind not in {"FromCompositeFieldPath", "CombineFromComposite"}:
                what = f"unsupported patch type {each.kind} at index {at}"
                raise EvaluationFailed(f"cannot apply connection secret patches: {what}")
            try:
                each.write(each.value(composite, floats=True), target)
            except FAULTS as fault:
                if each.kind == "FromCompositeFieldPath" and not each.required:
                    continue
                what = f"cannot apply patch type {each.kind} at index {at}: {fault}"
                raise EvaluationFailed(f"cannot apply connection secret patches: {what}") from fault
        name, namespace = target.object["name"], target.object["namespace"]
        return _SecretRef(
            name if isinstance(name, str) else ref.name,
            namespace if isinstance(namespace, str) else ref.namespace,
        )
