"""What is wrong with a project as somebody wants to write it. Pure.

One that is in the cluster already is used as far as it goes, whatever this says of it.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from plumbline.access.policy.projects import role_faults
from plumbline.base.errors import BadExpression
from plumbline.base.glob import glob
from plumbline.delivery.projects.windows import window_fault
from plumbline.kinds.appproject import ApplicationDestination, AppProjectSpec, DestinationServiceAccount

_NOTHING: Final = "!*"
_NOT_IN_ACCOUNTS: Final = frozenset("!*[]{}\\/")


def project_faults(name: str, spec: AppProjectSpec) -> tuple[str, ...]:
    """Everything, in words for people, some of whom look for those of Argo CD."""
    return (
        *role_faults(name, spec.roles),
        *_twice([role.name for role in spec.roles], "role '{}' already exists"),
        *filter(None, map(window_fault, spec.sync_windows)),
        *_destination_faults(spec.destinations),
        *_source_faults(spec),
        *_account_faults(spec.destination_service_accounts),
    )


def _destination_faults(destinations: Sequence[ApplicationDestination]) -> Iterator[str]:
    for each in destinations:
        for what, pattern in (("name", each.name), ("server", each.server), ("namespace", each.namespace)):
            if pattern == _NOTHING:
                yield _unusable(what, pattern)
    yield from _twice([f"{each.server or each.name}/{each.namespace}" for each in destinations], _added("destination"))


def _source_faults(spec: AppProjectSpec) -> Iterator[str]:
    if _NOTHING in spec.source_repos:
        yield _unusable("source repository", _NOTHING)
    yield from _twice(spec.source_repos, _added("source repository"))
    yield from _twice(spec.source_namespaces, _added("source namespace"))


def _account_faults(accounts: Sequence[DestinationServiceAccount]) -> Iterator[str]:
    for each in accounts:
        for what, pattern in (("server", each.server), ("namespace", each.namespace)):
            if "!" in pattern or not _readable(pattern):
                yield _unusable(what, pattern)
        account = each.default_service_account
        if not account.strip(" ") or not _NOT_IN_ACCOUNTS.isdisjoint(account):
            yield _unusable("defaultServiceAccount", account)
    yield from _twice([f"{each.server}/{each.namespace}" for each in accounts], _added("destinationServiceAccount"))


def _readable(pattern: str) -> bool:
    try:
        glob(pattern)
    except BadExpression:
        return False
    return True


def _unusable(what: str, pattern: str) -> str:
    return f"{what} has an invalid format, '{pattern}'"


def _added(what: str) -> str:
    return f"{what} '{{}}' already added"


def _twice(names: Sequence[str], said: str) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield said.format(name)
        seen.add(name)
