"""What a Terraform object waits for: others that must be applied first, at the same revision of a source they share. Pure."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from plumbline.kinds.flux.terraform import TERRAFORM, SourceReference, TerraformSpec, TerraformStatus
from plumbline.kinds.read import Read
from plumbline.kube.names import Ref
from plumbline.kube.object import Object

NOT_READY: Final = "DependencyNotReady"
ACCESS_DENIED: Final = "AccessDenied"

Subject: TypeAlias = Read[TerraformSpec, TerraformStatus]


class Dependency(NamedTuple):
    """Another Terraform object as it is now; *subject* is None where there is none."""

    subject: Subject | None
    output_secret: bool = True
    """Whether the Secret that it writes outputs to is there."""


class Unmet(NamedTuple):
    ref: Ref
    reason: str
    message: str


def dependencies(ref: Ref, spec: TerraformSpec) -> tuple[Ref, ...]:
    """Those that the object names, each once."""
    found = (
        Ref(TERRAFORM.group, TERRAFORM.kind, each.namespace or ref.namespace, each.name) for each in spec.depends_on
    )
    return tuple(dict.fromkeys(found))


def unmet(
    subject: Subject, revision: str, known: Mapping[Ref, Dependency], *, cross_namespace: bool = False
) -> list[Unmet]:
    """All that it waits for, in the order in which it names them. *revision* is that of its own source."""
    found: list[Unmet] = []
    for ref in dependencies(subject.ref, subject.spec):
        where = f"{ref.namespace}/{ref.name}"
        if ref.namespace != subject.ref.namespace and not cross_namespace:
            message = f"cannot access {where}, cross-namespace references have been disabled"
            found.append(Unmet(ref, ACCESS_DENIED, message))
        elif message := _missing(subject, revision, ref, known.get(ref) or Dependency(None)):
            found.append(Unmet(ref, NOT_READY, message))
    return found


def _missing(subject: Subject, revision: str, ref: Ref, dependency: Dependency) -> str:
    where = f"{ref.namespace}/{ref.name}"
    other = dependency.subject
    if other is None:
        resource = f"{TERRAFORM.plural}.{TERRAFORM.group}"
        return f"unable to get '{where}' dependency: {resource} \"{ref.name}\" not found"
    status = other.status
    ready = any(each.type == "Ready" and each.status == "True" for each in status.conditions)
    if Object(other.raw).generation != status.observed_generation or not ready:
        return f"dependency '{where}' is not ready"
    shared = _source(subject) == _source(other)
    if shared and revision not in {status.last_applied_revision, status.last_planned_revision}:
        return f"dependency '{where}' is not updated yet"
    wanted = other.spec.write_outputs_to_secret
    if wanted is not None and not dependency.output_secret:
        return f"dependency output secret: '{ref.namespace}/{wanted.name}' of '{where}' is not ready yet"
    return ""


def _source(subject: Subject) -> tuple[str, str, str]:
    """Two objects without a namespace in it share a source only if they are in the same one themselves."""
    source: SourceReference = subject.spec.source_ref
    return source.kind, source.namespace or subject.ref.namespace, source.name


def cycle(start: Ref, depends_on: Callable[[Ref], tuple[Ref, ...]]) -> tuple[Ref, ...]:
    """The shortest way from *start* back to itself, both ends included; empty where there is none."""
    came_from: dict[Ref, Ref] = {}
    edge = [start]
    while edge:
        further: list[Ref] = []
        for ref in edge:
            for each in depends_on(ref):
                if each == start:
                    return _way(start, ref, came_from)
                if each not in came_from:
                    came_from[each] = ref
                    further.append(each)
        edge = further
    return ()


def _way(start: Ref, last: Ref, came_from: Mapping[Ref, Ref]) -> tuple[Ref, ...]:
    way = [start]
    while last != start:
        way.append(last)
        last = came_from[last]
    return (start, *reversed(way))


def cycle_message(way: tuple[Ref, ...]) -> str:
    names = " -> ".join(f"{each.namespace}/{each.name}" for each in way)
    return f"dependencies lead back to where they began: {names}"
