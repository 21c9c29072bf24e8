"""Groups and versions in the order in which the API server lists them."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from plumbline.apiserver.resources.resource import Resource
from plumbline.kube.names import GroupVersion

_KUBE_VERSION: Final = re.compile(r"v([0-9]{1,18})(?:(alpha|beta)([0-9]{1,18}))?\Z")
_STAGES: Final = {None: 2, "beta": 1, "alpha": 0}


class Version(NamedTuple):
    name: GroupVersion
    resources: tuple[Resource, ...]


class Group(NamedTuple):
    """Its first version is the preferred one."""

    name: str
    versions: tuple[Version, ...]


def arranged(resources: Iterable[Resource]) -> tuple[Group, ...]:
    """Built-in groups in the order of *resources*, then those that only CRDs know, by name.

    A version that a CRD adds to a built-in group comes before the built-in ones: its priority is higher.
    """
    versions: dict[str, dict[str, list[Resource]]] = {}
    for each in resources:
        versions.setdefault(each.kind.group, {}).setdefault(each.kind.version, []).append(each)
    groups = [Group(name, _versions(name, found)) for name, found in versions.items()]
    builtin = [group for group in groups if not _custom(group)]
    return (*builtin, *sorted(group for group in groups if _custom(group)))


def _custom(group: Group) -> bool:
    return all(each.custom for version in group.versions for each in version.resources)


def _versions(group: str, found: dict[str, list[Resource]]) -> tuple[Version, ...]:
    custom = [name for name, resources in found.items() if all(each.custom for each in resources)]
    builtin = [name for name in found if name not in custom]
    ordered = (*by_priority(custom), *builtin)
    return tuple(Version(GroupVersion(group, name), tuple(found[name])) for name in ordered)


def by_priority(versions: Sequence[str]) -> list[str]:
    """Stable before beta before alpha, newer before older, then what is no Kubernetes version, by name."""
    return sorted(versions, key=_priority)


def _priority(version: str) -> tuple[bool, int, int, int, str]:
    match = _KUBE_VERSION.match(version)
    if match is None:
        return (True, 0, 0, 0, version)
    major, stage, minor = match.groups()
    return (False, -_STAGES[stage], -int(major), -int(minor or 0), version)
