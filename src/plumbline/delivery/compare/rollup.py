"""How an application stands, out of how its objects stand."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from plumbline.base.json import JsonObject
from plumbline.delivery.compare import marks
from plumbline.delivery.compare.pairing import Pair, Paired
from plumbline.delivery.compare.preparing import COMPARISON_ERROR, Scope, Subject
from plumbline.delivery.values import Desired
from plumbline.kernel.cache import Meta
from plumbline.kinds.application import ApplicationCondition, HealthStatus, ResourceStatus
from plumbline.kube.health import Health, Part, Status, aggregate
from plumbline.kube.health.aggregation import IGNORED
from plumbline.kube.names import GroupKind, Ref
from plumbline.ownership.learn.tracking import Tracking

SyncCode: TypeAlias = Literal["Synced", "OutOfSync", "Unknown"]

_NO_ANNOTATIONS: Final[Mapping[str, str]] = {}
_SHARED: Final = "SharedResourceWarning"
_INVALID: Final = "InvalidSpecError"
_CONFIRM: Final = "confirm"
_MISSING: Final = HealthStatus(status="Missing")


class Standing(NamedTuple):
    """Everything that comparing an application says about it."""

    sync: SyncCode
    health: Status
    resources: tuple[ResourceStatus, ...]
    """In the order in which upstream lists them."""
    prunable: tuple[Ref, ...]
    """What is live, the application's own, and no longer desired; nothing where nobody knows what is desired."""
    conditions: tuple[ApplicationCondition, ...]


class View(NamedTuple):
    """What rolling up has to know beside the objects."""

    subject: Subject
    tracking: Tracking
    scope: Scope
    permitted: Callable[[GroupKind, str, bool], bool]
    """Whether the project permits a kind, by its name and whether it lives in namespaces."""
    failed: bool = False
    """Whether what is desired or what is live could not be loaded: then nobody can say anything."""
    unjudged: frozenset[Ref] = frozenset()
    """Objects of which the server would not say how they differ: then nobody can say anything of these."""
    inline_health: bool = False
    """Whether the health of each object is written into the status."""
    namespace_changed: bool = False
    """Whether managedNamespaceMetadata differs from what was last synced."""


def rolled_up(paired: Paired, differs: Mapping[Ref, bool], view: View) -> Standing:
    """The standing of an application; *differs* says which of the pairs with both sides are different."""
    resources: list[ResourceStatus] = []
    parts: list[Part] = []
    prunable: list[Ref] = []
    conditions: list[ApplicationCondition] = []
    out_of_sync = view.namespace_changed
    waves = {(hook.ref.kind, hook.ref.namespace, hook.ref.name): hook for hook in paired.hooks}
    for pair in paired.pairs:
        status, counts = _status(pair, view, differs=differs.get(pair.ref, False))
        out_of_sync = out_of_sync or counts
        if status.requires_pruning and not status.hook and not view.failed:
            prunable.append(pair.ref)
        if status.hook and pair.target is None:
            status = _with_wave(status, waves.get((pair.ref.kind, pair.ref.namespace, pair.ref.name)))
        resources.append(status)
        parts.append(_part(pair))
        conditions.extend(_warnings(pair, view))
    sync: SyncCode = "Unknown" if view.failed or view.unjudged else "OutOfSync" if out_of_sync else "Synced"
    resources.sort(key=lambda each: f"{each.group}/{each.kind}/{each.namespace}/{each.name}")
    health = aggregate(parts, view.subject.ref)
    return Standing(sync, health, tuple(resources), tuple(prunable), tuple(conditions))


def _status(pair: Pair, view: View, *, differs: bool) -> tuple[ResourceStatus, bool]:
    """One object's status, and whether it makes the application OutOfSync."""
    target, observed = pair.target, pair.observed
    meta = observed.live.meta if observed is not None else None
    annotations = _annotations(pair)
    own = _its_own(pair, view.tracking)
    is_hook = marks.hook(annotations) or marks.deletion_hook(annotations)
    extra = target is None and observed is not None
    code, counts = "", False
    if not (is_hook or (target is not None and marks.skipped(target.annotations)) or not own):
        code = "OutOfSync" if extra or observed is None or differs else "Synced"
        ignorable = extra and "IgnoreExtraneous" in marks.options(annotations, marks.COMPARE_OPTIONS)
        counts = code == "OutOfSync" and not ignorable
    namespaced = view.scope(pair.gvk) is True
    unknown = view.failed or pair.ref in view.unjudged
    if unknown or not view.permitted(GroupKind(pair.ref.group, pair.ref.kind), pair.ref.name, namespaced):
        code = "Unknown"
    silent = is_hook or annotations.get(IGNORED) == "true"
    health = _health(pair) if view.inline_health and not silent else None
    return (
        ResourceStatus(
            group=pair.gvk.group,
            version=pair.gvk.version,
            kind=pair.gvk.kind,
            namespace=pair.ref.namespace,
            name=pair.ref.name,
            status=code,
            health=health,
            hook=is_hook,
            requires_pruning=extra and own,
            sync_wave=marks.wave(target.annotations) if target is not None else 0,
            requires_deletion_confirmation=any(
                _confirmed(each, view.subject)
                for each in (target.annotations if target else None, meta.annotations if meta else None)
            ),
        ),
        counts,
    )


def _annotations(pair: Pair) -> Mapping[str, str]:
    if pair.observed is not None:
        return pair.observed.live.meta.annotations
    return pair.target.annotations if pair.target is not None else _NO_ANNOTATIONS


def _its_own(pair: Pair, tracking: Tracking) -> bool:
    """Whether the object is what its mark says. Controllers copy marks along with the rest, and anybody can write one."""
    if pair.target is not None or pair.observed is None or tracking.method == "label":
        return True
    mark = marks.tracking_of(pair.observed.live.meta, tracking)
    return mark is None or mark.names(pair.ref)


def _confirmed(annotations: Mapping[str, str] | None, subject: Subject) -> bool:
    """Whether one side, if it is there, wants to be asked before it goes. What it says itself beats its application."""
    if annotations is None:
        return False
    for name in ("Delete", "Prune"):
        said = marks.option(annotations, marks.SYNC_OPTIONS, name)
        if (subject.option(name) if said is None else said) == _CONFIRM:
            return True
    return False


def _with_wave(status: ResourceStatus, hook: Desired | None) -> ResourceStatus:
    if hook is None:
        return status
    return msgspec.structs.replace(status, sync_wave=marks.wave(hook.annotations))


def _health(pair: Pair) -> HealthStatus | None:
    if pair.observed is None:
        return _MISSING
    health = pair.observed.health
    return None if health is None else HealthStatus(status=health.status.value, message=health.message)


def _part(pair: Pair) -> Part:
    """What health needs to see of both sides, without decoding either."""
    target = pair.target
    wanted = None if target is None else _sketch(pair, target.annotations)
    if pair.observed is None:
        return Part(wanted, None, None)
    health: Health | None = pair.observed.health
    return Part(wanted, _sketch(pair, pair.observed.live.meta.annotations), health)


def _sketch(pair: Pair, annotations: Mapping[str, str]) -> JsonObject:
    metadata = {"name": pair.ref.name, "namespace": pair.ref.namespace, "annotations": annotations}
    return {"apiVersion": pair.gvk.api_version, "kind": pair.gvk.kind, "metadata": metadata}


def _warnings(pair: Pair, view: View) -> Iterable[ApplicationCondition]:
    if view.scope(pair.gvk) is True and not pair.ref.namespace:
        yield ApplicationCondition(type=_INVALID, message=f"Namespace for {pair.ref.name} {pair.gvk} is missing.")
    if pair.observed is not None:
        other = _other_application(pair.observed.live.meta, view)
        if other:
            subject = view.subject
            mine = f"{subject.namespace}/{subject.name}" if subject.namespace else subject.name
            text = f"{pair.ref.kind}/{pair.ref.name} is part of applications {mine} and {other.replace('_', '/')}"
            yield ApplicationCondition(type=_SHARED, message=text)


def _other_application(meta: Meta, view: View) -> str:
    instance = marks.instance_of(meta, view.tracking)
    return instance if instance != view.subject.instance else ""


def comparison_failed(why: str) -> ApplicationCondition:
    """The condition of an application that could not be compared; its objects are Unknown."""
    return ApplicationCondition(type=COMPARISON_ERROR, message=f"Failed to compare desired state to live state: {why}")


class Candidate(NamedTuple):
    """An object in an application's namespace that might be nobody's."""

    ref: Ref
    owned: bool
    """Whether another object owns it."""
    instance: str = ""
    """The application that its mark names."""


def orphaned(
    candidates: Iterable[Candidate],
    managed: Sequence[Ref],
    known: Callable[[str], bool],
    permitted: Callable[[Ref], bool],
    ignored: Callable[[Ref], bool],
) -> tuple[Ref, ...]:
    """What is in the namespace and belongs to nobody, in the order of names. *known* tells which applications exist."""
    mine = frozenset(managed)
    return tuple(
        sorted(
            each.ref
            for each in candidates
            if each.ref.namespace
            and not each.owned
            and each.ref not in mine
            and not (each.instance and known(each.instance))
            and not _everywhere(each.ref)
            and permitted(each.ref)
            and not ignored(each.ref)
        )
    )


def _everywhere(ref: Ref) -> bool:
    """What every namespace has by itself."""
    if ref.group:
        return False
    if ref.kind == "Service":
        return (ref.namespace, ref.name) == ("default", "kubernetes")
    return (ref.kind, ref.name) in {("ServiceAccount", "default"), ("ConfigMap", "kube-root-ca.crt")}
