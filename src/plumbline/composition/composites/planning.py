"""From what functions want to what is applied, dropped and remembered. Pure."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.composition import marks
from plumbline.composition.functions.values import Resource
from plumbline.kernel.cache import Cached
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.object import controller_reference
from plumbline.kube.spelling import dns_subdomain_faults, path_segment_faults

_SERVER_MADE: Final = frozenset({
    "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
    "managedFields", "selfLink",
})  # fmt: skip


_RBAC: Final = "rbac.authorization.k8s.io"


class Observation(NamedTuple):
    """A composed resource as it is."""

    gvk: GroupVersionKind
    entry: Cached
    object: JsonObject
    connection: Mapping[str, Plaintext]


class Wanted(NamedTuple):
    """A composed resource as it should be."""

    name: str
    """What the composition calls it."""
    gvk: GroupVersionKind
    body: JsonObject
    ready: bool
    live: Observation | None

    @property
    def ref(self) -> Ref:
        return Ref.of(self.body)


class Templates(NamedTuple):
    """What templates without functions are called, in their order: references to what they make are kept in it."""

    names: tuple[str, ...]
    anonymous: bool = False
    """The composition gives no names: only places tell which resource belongs to which template."""


class Plan(NamedTuple):
    wanted: tuple[Wanted, ...]
    dropped: tuple[tuple[str, Observation], ...]
    """No longer wanted, by the name that the composition gave them."""
    overridden: tuple[str, ...] = ()
    """What people should know about namespaces."""

    def references(
        self, lingering: Iterable[tuple[str, Observation]], *, local: bool, templates: Templates | None = None
    ) -> list[JsonObject]:
        """What a composite remembers of what it is made of.

        *lingering* is what could not be rendered this time, or what nobody agreed to lose. *local*: everything is in the
        composite's own namespace.
        """
        kept = [(each.name, each.gvk, each.ref) for each in self.wanted]
        kept += [(name, each.gvk, Ref.of(each.object)) for name, each in lingering]
        refs = [(name, marks.reference(gvk, ref.name, "" if local else ref.namespace)) for name, gvk, ref in kept]
        if templates is None:
            return sorted((ref for _, ref in refs), key=_spelled)
        if templates.anonymous:
            by_name = dict(reversed(refs))
            return [by_name.get(name, {"apiVersion": "", "kind": ""}) for name in templates.names]
        place = {name: at for at, name in enumerate(templates.names)}
        return [ref for _, ref in sorted(refs, key=lambda each: place.get(each[0], len(place)))]


def _spelled(ref: Mapping[str, str]) -> str:
    return ref["apiVersion"] + ref["kind"] + ref["name"] + ref.get("namespace", "")


class Composing(NamedTuple):
    """The composite for which is planned."""

    object: JsonObject
    is_namespaced: Callable[[GroupVersionKind], bool | None]
    """Whether objects of a kind have a namespace; None for a kind that nobody serves."""
    templates: Templates | None = None
    """Those of a composition without functions."""

    @property
    def ref(self) -> Ref:
        return Ref.of(self.object)

    @property
    def labels(self) -> Mapping[str, str]:
        return self.object["metadata"].get("labels") or {}

    @property
    def prefix(self) -> str:
        return self.labels.get(marks.COMPOSITE) or self.ref.name


def planned(composing: Composing, desired: Mapping[str, Resource], observed: Mapping[str, Observation]) -> Plan:
    """Raises InvalidInput naming the resource that cannot be composed, and why."""
    overridden: list[str] = []
    wanted = tuple(
        _wanted(composing, name, resource, observed.get(name), overridden) for name, resource in desired.items()
    )
    kept = {each.name for each in wanted if each.live is not None}
    dropped = tuple((name, each) for name, each in observed.items() if name not in kept)
    return Plan(wanted, dropped, tuple(overridden))


def _wanted(
    composing: Composing, name: str, resource: Resource, live: Observation | None, overridden: list[str]
) -> Wanted:
    gvk = GroupVersionKind.of(resource.resource)
    if not gvk.kind or not gvk.version:
        raise InvalidInput(f"cannot compose resource {name!r}", why="it has no apiVersion and kind")
    if live is not None and live.gvk.group_kind != gvk.group_kind:
        live = None  # what was there is another thing, and goes
    said = resource.resource.get("metadata")
    metadata = {key: value for key, value in said.items() if key not in _SERVER_MADE} if isinstance(said, dict) else {}
    _name(composing, name, gvk, metadata, live)
    _place(composing, name, gvk, metadata, overridden)
    _mark(composing, name, metadata, live)
    body = {**resource.resource, "metadata": metadata}
    return Wanted(name, gvk, body, resource.ready == "True", live)


def _name(
    composing: Composing, name: str, gvk: GroupVersionKind, metadata: JsonObject, live: Observation | None
) -> None:
    if live is not None:
        known = live.object["metadata"]
        metadata["name"] = known["name"]
        for field in ("namespace", "generateName"):
            if known.get(field):
                metadata[field] = known[field]
        return
    if not metadata.get("name"):
        own = metadata.get("generateName") if composing.templates is None else ""  # templates have no say in it
        prefix = str(own or f"{composing.prefix}-")
        metadata["generateName"] = prefix
        metadata["name"] = marks.composed_name(prefix, composing.ref, name)
    spelled = path_segment_faults if gvk.group == _RBAC else dns_subdomain_faults
    if faults := spelled(str(metadata["name"])):
        raise InvalidInput(
            f"cannot compose resource {name!r} with name {metadata['name']!r}",
            why="; ".join(faults),
            hint="Give it another metadata.name in the composition, or none.",
        )


def _place(composing: Composing, name: str, gvk: GroupVersionKind, metadata: JsonObject, overridden: list[str]) -> None:
    own = composing.ref.namespace
    if not own:
        return
    if composing.is_namespaced(gvk) is False:
        raise InvalidInput(
            f"cannot compose resource {name!r}",
            why=f"a namespaced composite composes nothing that is cluster-scoped, and {gvk.kind} is",
            hint="Compose it from a composite with scope Cluster, or use a namespaced kind.",
        )
    asked = metadata.get("namespace")
    if asked and asked != own:
        overridden.append(f"Composed resource {name!r} is put into the composite's namespace {own}, not into {asked}")
    metadata["namespace"] = own


def _mark(composing: Composing, name: str, metadata: JsonObject, live: Observation | None) -> None:
    labels, ours = metadata.get("labels"), composing.labels
    marked = {**labels} if isinstance(labels, dict) else {}
    marked[marks.COMPOSITE] = composing.prefix
    if ours.get(marks.CLAIM_NAME) and ours.get(marks.CLAIM_NAMESPACE):
        marked[marks.CLAIM_NAME], marked[marks.CLAIM_NAMESPACE] = ours[marks.CLAIM_NAME], ours[marks.CLAIM_NAMESPACE]
    elif live is not None:
        marked |= _left_empty(live)
    annotations = metadata.get("annotations")
    noted = {**annotations} if isinstance(annotations, dict) else {}
    metadata["labels"] = marked
    if composing.templates is None or not composing.templates.anonymous:
        noted[marks.RESOURCE_NAME] = name
    metadata["annotations"] = noted
    metadata["ownerReferences"] = [*_other_owners(metadata, name), controller_reference(composing.object)]


def _left_empty(live: Observation) -> dict[str, str]:
    """Crossplane 1.x labels what belongs to no claim with no claim's name: no reason to write all of it again."""
    labels = live.entry.meta.labels
    return {key: "" for key in (marks.CLAIM_NAME, marks.CLAIM_NAMESPACE) if labels.get(key) == ""}


def _other_owners(metadata: JsonObject, name: str) -> list[JsonObject]:
    said = metadata.get("ownerReferences")
    owners = [each for each in said if isinstance(each, dict)] if isinstance(said, list) else []
    if any(each.get("controller") for each in owners):
        raise InvalidInput(f"cannot compose resource {name!r}", why="the composition gives it another controller")
    return owners
