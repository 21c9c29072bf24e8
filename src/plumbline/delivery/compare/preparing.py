"""From what was rendered to what is desired: namespaces filled in, marks written, each object once."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject, encode
from plumbline.delivery.compare.marks import marked
from plumbline.delivery.values import Desired
from plumbline.kinds.application import ApplicationCondition, ManagedNamespaceMetadata
from plumbline.kube.gotext import printed
from plumbline.kube.names import GroupKind, GroupVersionKind, Ref
from plumbline.ownership.learn.tracking import Tracking

Scope: TypeAlias = Callable[[GroupVersionKind], bool | None]
"""Whether objects of a kind live in namespaces; None where nobody knows, which counts as yes."""

COMPARISON_ERROR: Final = "ComparisonError"
_REPEATED: Final = "RepeatedResourceWarning"
_EXCLUDED: Final = "ExcludedResourceWarning"
_CRD: Final = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_DIGEST_BYTES: Final = 16


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """The application that is compared, as far as that needs to know it."""

    name: str
    namespace: str
    instance: str
    """As marks name it: NAMESPACE_NAME where it is not in the installation's own namespace, else its name."""
    destination: str
    """The namespace that it deploys to."""
    sync_options: tuple[str, ...] = ()
    managed_namespace: ManagedNamespaceMetadata | None = None

    @property
    def ref(self) -> Ref:
        return Ref("argoproj.io", "Application", self.namespace, self.name)

    def option(self, name: str) -> str | None:
        """The value of the first sync option called *name*."""
        return next((each[len(name) + 1 :] for each in self.sync_options if each.startswith(f"{name}=")), None)


class Surroundings(NamedTuple):
    """What the installation and the cluster say about objects."""

    tracking: Tracking
    scope: Scope
    excluded: Callable[[GroupKind], bool]


class Prepared(NamedTuple):
    desired: tuple[Desired, ...]
    conditions: tuple[ApplicationCondition, ...]

    @property
    def failed(self) -> bool:
        """Whether something could not be read: then nobody knows what is desired, and nothing may be pruned."""
        return any(each.type == COMPARISON_ERROR for each in self.conditions)


def prepared(rendered: Sequence[Sequence[Json]], subject: Subject, surroundings: Surroundings) -> Prepared:
    """What *subject* desires, from the objects of each of its sources in their order.

    Of an object that appears more than once the last one counts. Total: what is no object becomes a condition.
    """
    conditions: list[ApplicationCondition] = []
    found: dict[Ref, tuple[JsonObject, int, int]] = {}
    place = 0
    for source, objects in enumerate(rendered):
        for obj in objects:
            try:
                placed = _placed(obj, subject, surroundings)
            except InvalidInput as refusal:
                message = (
                    f"Failed to load target state: failed to set app instance tracking info on manifest: {refusal}"
                )
                conditions.append(ApplicationCondition(type=COMPARISON_ERROR, message=message))
            else:
                key = _key(placed, place)
                times = found[key][2] + 1 if key in found else 1
                found[key] = (placed, source, times)
            place += 1
    desired: list[Desired] = []
    for key, (obj, source, times) in found.items():
        if times > 1:
            text = f"Resource {'/'.join(key)} appeared {times} times among application resources."
            conditions.append(ApplicationCondition(type=_REPEATED, message=text))
        if surroundings.excluded(GroupKind(key.group, key.kind)):
            text = f"Resource {key.group}/{key.kind} {Ref.of(obj).name} is excluded in the settings"
            conditions.append(ApplicationCondition(type=_EXCLUDED, message=text))
        else:
            desired.append(_desired(obj, source))
    return Prepared(tuple(desired), tuple(conditions))


def _placed(obj: Json, subject: Subject, surroundings: Surroundings) -> JsonObject:
    """*obj* where it belongs, with its marks. Definitions carry none, unless they had to be moved out of a namespace."""
    if not isinstance(obj, dict) or not isinstance(obj.get("metadata"), dict):
        raise InvalidInput(f"{printed(obj)[:100]} is not a Kubernetes object")
    gvk = GroupVersionKind.of(obj)
    if not gvk.kind or not gvk.version:
        raise InvalidInput("Object 'Kind' is missing" if not gvk.kind else "Object 'apiVersion' is missing")
    namespaced = surroundings.scope(gvk) is not False
    namespace = Ref.of(obj).namespace
    moved = bool(namespace) if not namespaced else not namespace
    if moved:
        obj = _in_namespace(obj, subject.destination if namespaced else "")
    if gvk.group_kind == _CRD and not moved:
        return obj
    return marked(obj, subject.instance, subject.destination, surroundings.tracking)


def _in_namespace(obj: JsonObject, namespace: str) -> JsonObject:
    metadata = {name: value for name, value in obj["metadata"].items() if name != "namespace"}
    if namespace:
        metadata["namespace"] = namespace
    return {**obj, "metadata": metadata}


def _key(obj: JsonObject, place: int) -> Ref:
    ref = Ref.of(obj)
    generated = obj["metadata"].get("generateName") or ""
    return ref if ref.name else ref._replace(name=f"{generated}{place}")


def _desired(obj: JsonObject, source: int) -> Desired:
    body = encode(obj)
    metadata = obj["metadata"]
    annotations = metadata.get("annotations")
    generated = metadata.get("generateName")
    return Desired(
        ref=Ref.of(obj),
        gvk=GroupVersionKind.of(obj),
        body=body,
        digest=hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest(),
        annotations=annotations if isinstance(annotations, dict) else {},
        generate_name=generated if isinstance(generated, str) else "",
        source=source,
    )


def managed_namespace(subject: Subject) -> Desired | None:
    """The namespace that an application deploys to, as its managedNamespaceMetadata asks for it.

    Nobody has it in Git, so it is desired only to be compared: a live one that is tracked is not to be pruned.
    """
    wanted = subject.managed_namespace
    if wanted is None:
        return None
    annotations = {**wanted.annotations, "argocd.argoproj.io/sync-options": "ServerSideApply=true"}
    metadata = {"name": subject.destination, "labels": wanted.labels, "annotations": annotations}
    return _desired({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}, 0)
