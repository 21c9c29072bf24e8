"""What the ledger says, on a terminal."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from plumbline.base.json import JsonObject
from plumbline.cli.terminal import BAD, GOOD, WARNING, plain, table
from plumbline.ownership import Claim, ClusterObject, Conflict, Ledger, Link, Owner, Resource
from plumbline.ownership.boundaries import Violation
from plumbline.ownership.conflicts import Possible
from plumbline.ownership.patterns import fits
from plumbline.ownership.wording import claim_json, owner_json, resource_json, way_out

if TYPE_CHECKING:
    from plumbline.ownership.declared import Report
    from plumbline.ownership.gathering import Gathered

_BOOKKEEPERS: Final = frozenset(
    f"controller {name}" for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet")
)
"""What only Kubernetes itself has written is not worth a line: nobody is missing there."""


class Wanted(NamedTuple):
    owner: str = ""
    namespace: str = ""
    external: bool = False
    unowned: bool = False


class Row(NamedTuple):
    resource: Resource
    root: Owner | None
    owners: tuple[Owner, ...]
    """Whoever declares to own it; more than one is a conflict."""
    traces: tuple[str, ...]


def drawn_report(report: "Report") -> Iterator[str]:
    for conflict in report.conflicts:
        yield from _conflict(conflict)
    for violation in report.violations:
        yield from _violation(violation)
    for repeat in report.repeats:
        owner = repeat.claims[0].owner
        yield f"{WARNING.shown(sys.stdout)} {_bold(repeat.resource)} is declared {len(repeat.claims)} times by {plain(str(owner))}"
        yield from _places(repeat.claims)
    for each in report.possible:
        yield from _possible(each)


def summary(report: "Report", *, verbose: bool) -> Iterator[str]:
    """For stderr: what was not read, what could not be decided, and the answer in a line."""
    for unread in report.unread:
        at = f"{unread.path}:{unread.line}" if unread.line else unread.path
        sign = BAD if unread.blocking else WARNING
        yield f"{sign.shown(sys.stderr)} not read: {plain(at)}: {plain(unread.why)}"
    if report.undecided and verbose:
        for claim in report.undecided:
            yield f"{WARNING.shown(sys.stderr)} undecided: {plain(str(claim.resource))} at {plain(claim.source.place)}"
    elif report.undecided:
        yield f"{_count(len(report.undecided), 'id')} cannot be read from the files; -v names them."
    counted = f"{_count(report.resources, 'resource')} of {_count(report.owners, 'owner')}"
    if report.passed:
        yield f"{GOOD.shown(sys.stderr)} No resource has two owners: {counted}."
        return
    broken = sum(1 for each in report.unread if each.blocking)
    found = [(len(report.conflicts), "conflict"), (len(report.violations), "violation"), (broken, "unreadable file")]
    yield f"{', '.join(_count(count, what) for count, what in found if count)} in {counted}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _conflict(conflict: Conflict) -> Iterator[str]:
    owners = len({claim.owner for claim in conflict.claims})
    yield f"{BAD.shown(sys.stdout)} {_bold(conflict.resource)} has {owners} owners"
    yield from _places(conflict.claims)
    yield "    Keep one of them:"
    yield from (f"      {plain(fix)}" for fix in dict.fromkeys(way_out(claim) for claim in conflict.claims))


def _violation(violation: Violation) -> Iterator[str]:
    rule = violation.rule
    name = f"rule {rule.rule.name}" if rule else "no rule"
    yield f"{BAD.shown(sys.stdout)} {_bold(violation.claim.resource)} breaks {plain(name)}: {plain(violation.why)}"
    yield from _places((violation.claim,))
    if rule:
        reason = f"  {rule.rule.reason}" if rule.rule.reason else ""
        yield f"    {plain(rule.place)}{plain(reason)}"


def _possible(each: Possible) -> Iterator[str]:
    yield f"{WARNING.shown(sys.stdout)} {_bold(each.claim.resource)} may turn out to be somebody else's"
    yield from _places((each.claim, *each.others))


def _places(claims: Sequence[Claim]) -> Iterator[str]:
    """One line per place, aligned: who, where, and what it says there."""
    rows = [(plain(str(claim.owner)), plain(claim.source.place), plain(claim.source.said)) for claim in claims]
    who, where = (max(len(row[at]) for row in rows) for at in (0, 1))
    for row in rows:
        yield f"    {row[0]:<{who}}   {row[1]:<{where}}   {row[2]}".rstrip()


def _bold(resource: Resource) -> str:
    return click.style(plain(str(resource)), bold=True)


def listed(ledger: Ledger, wanted: Wanted) -> list[Row]:
    rows = []
    for resource in sorted(ledger.resources(), key=str):
        inside = isinstance(resource, ClusterObject)
        if (wanted.external and inside) or (wanted.namespace and not _in(resource, wanted.namespace)):
            continue
        claims = ledger.claims_on(resource)
        owners = tuple(dict.fromkeys(claim.owner for claim in claims if claim.strength == "declared"))
        root = ledger.root_of(resource)
        traces = tuple(str(claim.owner) for claim in claims if not owners)
        if (wanted.unowned and owners) or (not owners and _BOOKKEEPERS.issuperset(traces)):
            continue
        if wanted.owner and not any(fits(owner.name, wanted.owner) for owner in (*owners, *([root] if root else []))):
            continue
        rows.append(Row(resource, root, owners, traces))
    return rows


def _in(resource: Resource, namespace: str) -> bool:
    return isinstance(resource, ClusterObject) and resource.ref.namespace == namespace


def drawn_list(rows: Iterable[Row]) -> str:
    return table(["RESOURCE", "OWNER", "THROUGH"], [[str(row.resource), _owner(row), _through(row)] for row in rows])


def _owner(row: Row) -> str:
    if not row.owners:
        return f"nobody ({', '.join(row.traces)})"
    return str(row.root) if len(row.owners) == 1 else f"contested by {len(row.owners)}"


def _through(row: Row) -> str:
    return "" if row.owners == (row.root,) else ", ".join(map(str, row.owners))


def listed_json(row: Row) -> JsonObject:
    return {
        "resource": resource_json(row.resource),
        "owner": owner_json(row.root) if row.root else None,
        "through": [owner_json(owner) for owner in row.owners],
        "traces": list(row.traces),
    }


def drawn_chain(links: Sequence[Link]) -> Iterator[str]:
    for depth, link in enumerate(links):
        indent = "  " * depth
        yield f"{indent}{_bold(link.resource)}"
        if link.parent:
            yield f"{indent}  is looked after by {plain(str(link.parent))} (owner reference)"
        elif link.owner is None:
            yield f"{indent}  nobody declares to own it"
        owners = dict.fromkeys(claim.owner for claim in link.claims if claim.strength == "declared")
        if len(owners) > 1:
            yield f"{indent}  {BAD.shown(sys.stdout)} has {len(owners)} owners, of which all but one have to let go"
        for claim in link.claims:
            word = "owned by" if claim.strength == "declared" else "traces of"
            since = f", since {claim.since}" if claim.since else ""
            said = f" ({claim.source.said})" if claim.source.said else ""
            yield plain(f"{indent}  {word} {claim.owner}, says {claim.source.place}{said}{since}")


def links_json(links: Sequence[Link]) -> list[JsonObject]:
    return [
        {
            "resource": resource_json(link.resource),
            "owner": owner_json(link.owner) if link.owner else None,
            "parent": resource_json(link.parent) if link.parent else None,
            "claims": [claim_json(claim) for claim in link.claims],
        }
        for link in links
    ]


def unseen(gathered: "Gathered") -> Iterator[str]:
    for each in gathered.unseen:
        yield f"{WARNING.shown(sys.stderr)} not seen: {plain(each.what)}: {plain(each.why)}"
