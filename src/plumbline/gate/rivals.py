"""Other controllers for the same kinds, and whether they are alive. Pure: `survey` gathers what this judges.

Two controllers that write the same objects never agree. So objects are handed over only when nobody else looks after
them, and what counts as somebody is told by evidence: a workload that runs, a lease that is renewed, a recent write.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from plumbline.base.json import JsonObject

QUIET_S: Final = 300.0
"""A controller that wrote within this time counts as alive; the slowest of them writes every three minutes."""


class Engine(msgspec.Struct, frozen=True):
    """A controller that people run today, and how it shows itself."""

    name: str
    groups: tuple[str, ...]
    """API groups it looks after; `*.` in front means those below as well."""
    workloads: tuple[str, ...]
    managers: tuple[str, ...]
    leases: tuple[str, ...] = ()

    def looks_after(self, group: str) -> bool:
        return any(
            group == each.removeprefix("*.") or (each.startswith("*.") and group.endswith(each[1:]))
            for each in self.groups
        )


ENGINES: Final = (
    Engine(
        "Argo CD",
        ("argoproj.io",),
        ("argocd-application-controller", "argocd-applicationset-controller"),
        ("argocd-application-controller", "argocd-controller", "argocd-applicationset-controller"),
    ),
    Engine(
        "Crossplane",
        ("*.crossplane.io", "*.upbound.io"),
        ("crossplane", "crossplane-rbac-manager"),
        ("crossplane", "apiextensions.crossplane.io/composite"),
        ("crossplane-leader-election-core", "crossplane-leader-election-rbac"),
    ),
    Engine("tofu-controller", ("infra.contrib.fluxcd.io",), ("tf-controller", "tofu-controller"), ("tf-controller", "tofu-controller")),
    Engine("Flux", ("source.toolkit.fluxcd.io",), ("source-controller",), ("source-controller", "gotk-source-controller"), ("source-controller-leader-election",)),
    Engine("Sealed Secrets", ("bitnami.com",), ("sealed-secrets-controller", "sealed-secrets"), ("sealed-secrets-controller", "controller")),
    Engine("External Secrets", ("*.external-secrets.io", "external-secrets.io"), ("external-secrets",), ("external-secrets",), ("external-secrets-controller",)),
)  # fmt: skip


class Rival(NamedTuple):
    name: str
    evidence: str

    def __str__(self) -> str:
        return f"{self.name} ({self.evidence})"


class Facts(NamedTuple):
    """What a cluster shows."""

    workloads: tuple[JsonObject, ...] = ()
    leases: tuple[JsonObject, ...] = ()
    objects: tuple[JsonObject, ...] = ()
    """Of the kinds that are to be handed over."""


def rivals(group: str, facts: Facts, now: datetime, quiet_s: float = QUIET_S) -> tuple[Rival, ...]:
    """Who else is alive and looks after *group*, each with its strongest evidence."""
    since = now - timedelta(seconds=quiet_s)
    found = []
    for engine in ENGINES:
        if engine.looks_after(group):
            evidence = (*_running(engine, facts.workloads), *_renewed(engine, facts.leases, since), *_wrote(engine, facts.objects, since))  # fmt: skip
            found += [Rival(engine.name, each) for each in evidence[:1]]
    return tuple(found)


def _running(engine: Engine, workloads: Iterable[JsonObject]) -> list[str]:
    return [
        f"{each.get('kind', 'workload')} {_place(each)} runs"
        for each in workloads
        if _part(each, "metadata").get("name") in engine.workloads and _number(each.get("status"), "readyReplicas") > 0
    ]


def _renewed(engine: Engine, leases: Iterable[JsonObject], since: datetime) -> list[str]:
    return [
        f"Lease {_place(each)} is renewed"
        for each in leases
        if _part(each, "metadata").get("name") in engine.leases and _after(_part(each, "spec").get("renewTime"), since)
    ]


def _wrote(engine: Engine, objects: Iterable[JsonObject], since: datetime) -> list[str]:
    return [
        f"{entry.get('manager')} wrote {_place(each)} at {entry.get('time')}"
        for each in objects
        for entry in _part(each, "metadata").get("managedFields") or ()
        if entry.get("manager") in engine.managers and _after(entry.get("time"), since)
    ]


def _part(obj: JsonObject, name: str) -> JsonObject:
    part = obj.get(name)
    return part if isinstance(part, dict) else {}


def _number(part: object, name: str) -> int:
    value = part.get(name) if isinstance(part, dict) else 0
    return value if isinstance(value, int) else 0


def _place(obj: JsonObject) -> str:
    metadata = _part(obj, "metadata")
    return "/".join(filter(None, (metadata.get("namespace"), metadata.get("name"))))


def _after(text: object, since: datetime) -> bool:
    try:
        return isinstance(text, str) and datetime.fromisoformat(text) > since
    except ValueError:
        return False
