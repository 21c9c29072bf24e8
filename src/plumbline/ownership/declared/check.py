"""The check: everything that files declare, laid side by side."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from plumbline.kube.names import GroupKind, Ref
from plumbline.kube.object import Object
from plumbline.ownership.boundaries import BOUNDARY, Policy, judge
from plumbline.ownership.conflicts import Conflict, ordered, possible
from plumbline.ownership.declared.compositions import composed_claims, compositions, definitions
from plumbline.ownership.declared.deliveries import Delivery, deliveries
from plumbline.ownership.declared.files import File, Unread, charts, parts_of_charts, purpose
from plumbline.ownership.declared.kustomize import Kustomizations
from plumbline.ownership.declared.manifests import Lines, Manifest, read_manifests
from plumbline.ownership.declared.report import Report
from plumbline.ownership.declared.terraform import is_plan, terraform_claims, workspaces
from plumbline.ownership.learn.managed import is_local_config, learn_managed, naming_path
from plumbline.ownership.ledger import Ledger
from plumbline.ownership.scopes import Scopes
from plumbline.ownership.values import Claim, ClusterObject, Owner, Source, Unnamed


class Options(NamedTuple):
    apps: Mapping[str, str] = {}
    """Applications by name, with the folder that holds what each delivers."""
    policy: Policy = Policy()
    commit: str = ""
    namespace: str = "argocd"
    """Where Applications are that do not say."""


_USUAL: Final = Options()


class Placed(NamedTuple):
    """A manifest as somebody delivers it: under this name, there, by them."""

    manifest: Manifest
    ref: Ref
    cluster: str
    owner: Owner
    said: str


def check(files: Sequence[File], options: Options = _USUAL) -> Report:
    """Read all *files* and say who claims what twice, and who claims what they may not."""
    files = sorted(files)
    manifests, unread = _manifests(files)
    every = [manifest for group in manifests.values() for manifest in group]
    placed, not_placed = _placed(files, manifests, options)
    claims, not_followed = _claims(files, every, placed)
    ledger = Ledger()
    for claim in claims:
        ledger.record(_at_commit(claim, options.commit))
    return _report(ledger, options.policy, [*unread, *not_placed, *not_followed])


def _report(ledger: Ledger, policy: Policy, unread: Iterable[Unread]) -> Report:
    claims = list(ledger.claims())
    violations = [violation for claim in claims if (violation := judge(policy, claim))]
    undecided = (claim for claim in claims if isinstance(claim.resource, Unnamed) and not claim.resource.assigned)
    return Report(
        len(ledger),
        len(ledger.owners()),
        ledger.conflicts(),
        tuple(sorted(violations, key=lambda each: each.order)),
        tuple(sorted(_repeats(ledger), key=lambda each: each.order)),
        tuple(possible(claims)),
        ordered(undecided),
        tuple(sorted(set(unread))),
    )


def _repeats(ledger: Ledger) -> Iterator[Conflict]:
    for resource in ledger.resources():
        if isinstance(resource, Unnamed):
            continue
        by_owner: dict[Owner, list[Claim]] = {}
        for claim in ledger.claims_on(resource):
            if claim.resource == resource and claim.source.line:
                by_owner.setdefault(claim.owner, []).append(claim)
        for claims in by_owner.values():
            if len({claim.source.place for claim in claims}) > 1:
                yield Conflict(resource, ordered(claims))


def _at_commit(claim: Claim, commit: str) -> Claim:
    if not commit:
        return claim
    return msgspec.structs.replace(claim, source=msgspec.structs.replace(claim.source, commit=commit))


def _manifests(files: Sequence[File]) -> tuple[dict[str, list[Manifest]], list[Unread]]:
    """By path. Templates of charts are none before Helm has rendered them, and nobody delivers a policy."""
    chart_folders = charts(file.path for file in files)
    found: dict[str, list[Manifest]] = {}
    unread: list[Unread] = []
    lines = Lines()
    for file in files:
        if purpose(file.path) != "manifests" or parts_of_charts(file.path, chart_folders) or is_plan(file):
            continue
        manifests, faults = read_manifests(file, lines)
        unread += faults
        if owned := [each for each in manifests if each.kind != BOUNDARY.group_kind]:
            found[file.path] = owned
    return found, unread


def _placed(
    files: Sequence[File], manifests: Mapping[str, list[Manifest]], options: Options
) -> tuple[list[Placed], list[Unread]]:
    """Every manifest with everybody who delivers it; what nobody delivers belongs to its folder."""
    every = [manifest for group in manifests.values() for manifest in group]
    scopes = _scopes(every)
    delivered, unread = deliveries(every, options.apps, _folders(file.path for file in files), options.namespace)
    builds = Kustomizations({file.path: file for file in files}, manifests)
    chart_folders = charts(file.path for file in files)
    paths = sorted(manifests)
    placed: list[Placed] = []
    for delivery in delivered:
        if delivery.folder in chart_folders:
            why = f"{delivery.owner} renders it with Helm; give the result with --app NAME=FOLDER"
            unread.append(Unread(delivery.folder, why))
        elif builds.rooted_at(delivery.folder):
            for built in builds.built(delivery.folder):
                ref = built.manifest.ref
                ref = ref._replace(name=built.name, namespace=built.namespace or ref.namespace)
                placed.append(_delivered(built.manifest, ref, delivery, scopes))
        else:
            for path in filter(delivery.covers, _below(delivery.folder, paths)):
                placed += (_delivered(each, each.ref, delivery, scopes) for each in manifests[path])
    return placed + _undelivered(manifests, placed, scopes), unread + builds.unread


def _delivered(manifest: Manifest, ref: Ref, delivery: Delivery, scopes: Scopes) -> Placed:
    ref = ref._replace(namespace=_namespace(ref, delivery.namespace, scopes))
    return Placed(manifest, ref, delivery.cluster, delivery.owner, f"delivered by {delivery.said}")


def _undelivered(manifests: Mapping[str, list[Manifest]], placed: Sequence[Placed], scopes: Scopes) -> list[Placed]:
    known = {each.manifest.path for each in placed}
    found = []
    for path, group in manifests.items():
        if path in known:
            continue
        for manifest in group:
            ref = manifest.ref
            owner = Owner("directory", manifest.file.folder or ".")
            ref = ref._replace(namespace=_namespace(ref, "", scopes))
            found.append(Placed(manifest, ref, "", owner, "in a folder that no Application is known to deliver"))
    return found


def _namespace(ref: Ref, default: str, scopes: Scopes) -> str:
    return (ref.namespace or default or "default") if scopes.namespaced(GroupKind(ref.group, ref.kind)) else ""


def _claims(
    files: Sequence[File], every: Sequence[Manifest], placed: Sequence[Placed]
) -> tuple[list[Claim], list[Unread]]:
    claims: list[Claim] = []
    composites: list[tuple[Manifest, Owner]] = []
    defined = definitions(every)
    available, not_followed = compositions(every)
    composed_kinds = {each.composes for each in available}
    local_configs = frozenset(each.ref.name for each in every if is_local_config(each.obj))
    for each in placed:
        line = each.manifest.line
        if each.ref.name:
            source = Source(each.manifest.path, line, said=each.said)
            claims.append(Claim(ClusterObject(each.ref, each.cluster), each.owner, source))
        claims += _outside(each, local_configs)
        kind = each.manifest.kind
        if kind in defined.composite_of_claim:
            composites.append((each.manifest, Owner.of("claim", each.ref, each.cluster)))
        elif kind in composed_kinds:
            composites.append((each.manifest, Owner.of("composite", each.ref, each.cluster)))
    claims += composed_claims(available, composites, defined)
    found, unread = terraform_claims(files, workspaces(every))
    return claims + found, not_followed + unread


def _outside(placed: Placed, local_configs: frozenset[str]) -> Iterator[Claim]:
    """What a managed resource claims outside, with the line of the field that names it."""
    manifest = placed.manifest
    named = {**Object(manifest.obj).metadata, "name": placed.ref.name}
    for claim in learn_managed({**manifest.obj, "metadata": named}, placed.cluster, local_configs):
        owner = Owner.of("crossplane", placed.ref, placed.cluster)
        line = manifest.line_of(naming_path(Object(manifest.obj)))
        yield Claim(claim.resource, owner, Source(manifest.path, line, said=claim.source.said))


def _scopes(manifests: Iterable[Manifest]) -> Scopes:
    """What definitions among the files say of the kinds that they define."""
    known: dict[GroupKind, bool] = {}
    for manifest in manifests:
        spec = Object(manifest.obj).spec
        names, claims = spec.get("names"), spec.get("claimNames")
        group = str(spec.get("group") or "")
        if manifest.kind.kind == "CustomResourceDefinition" and isinstance(names, dict):
            known[GroupKind(group, str(names.get("kind")))] = spec.get("scope") != "Cluster"
        elif manifest.kind.kind == "CompositeResourceDefinition" and isinstance(names, dict):
            modern = Object(manifest.obj).api_version.endswith("/v2")
            scope = spec.get("scope") or ("Namespaced" if modern else "LegacyCluster")
            known[GroupKind(group, str(names.get("kind")))] = scope == "Namespaced"
            if isinstance(claims, dict):
                known[GroupKind(group, str(claims.get("kind")))] = True
    return Scopes(known)


def _folders(paths: Iterable[str]) -> frozenset[str]:
    """Every folder that one of them is in, at any level."""
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(found)


def _below(folder: str, paths: Sequence[str]) -> Iterator[str]:
    """Those of the sorted *paths* that are in *folder* at any level."""
    start = f"{folder}/" if folder else ""
    for at in range(bisect_left(paths, start), len(paths)):
        if not paths[at].startswith(start):
            return
        yield paths[at]
