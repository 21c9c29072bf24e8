"""Who owns what in a cluster: objects are listed, most of them as metadata only, and learned from page by page."""

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import BadDocument, Forbidden, NotFound, ServerFault, UnknownKind
from plumbline.base.json import JsonObject, decode
from plumbline.base.tasks import task_group
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.client.catalog import Catalog, Resource
from plumbline.kube.names import GroupKind, Ref
from plumbline.kube.object import Object
from plumbline.ownership.external import type_of_kind
from plumbline.ownership.learn import Facts, Setting, Tracking, learn, learn_managed, learn_terraform, read_facts
from plumbline.ownership.learn.managed import OBJECT_GROUPS, is_local_config
from plumbline.ownership.ledger import Ledger
from plumbline.ownership.scopes import Scopes
from plumbline.ownership.states import SELECTOR, state_of_terraform, stored_states, terraform_owner
from plumbline.ownership.terraform import state_claims
from plumbline.ownership.values import ClusterObject, Learned, Source

_TERRAFORM: Final = GroupKind("infra.contrib.fluxcd.io", "Terraform")
_DEFINITIONS: Final = GroupKind("apiextensions.crossplane.io", "CompositeResourceDefinition")
_CONFIG_MAPS: Final = GroupKind("", "ConfigMap")
_SECRETS: Final = GroupKind("", "Secret")
_CHILDREN: Final = frozenset({
    "ControllerRevision", "Endpoints", "EndpointSlice", "Event", "Lease", "Pod", "ReplicaSet",
})  # fmt: skip
"""Made by controllers in great numbers. Whose they are is found out one by one, when somebody asks."""
_NOT_STORED: Final = frozenset({"metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"})
_ARGO_SETTINGS: Final = "argocd-cm"
_ALL: Final = Selection()
_AT_ONCE: Final = 8
_METHODS: Final = frozenset({"annotation", "label", "annotation+label"})
_LONGEST_CLIMB: Final = 32


class Unseen(NamedTuple):
    """Something that could not be looked at, and why."""

    what: str
    why: str


class Gathered(NamedTuple):
    ledger: Ledger
    setting: Setting
    unseen: tuple[Unseen, ...]


async def gather(client: Client) -> Gathered:
    """A ledger of the whole cluster. What may not be listed is named in the answer and does not stop the rest."""
    return await _Gathering(client, await client.discovery.catalog()).run()


async def climb(client: Client, gathered: Gathered, start: ClusterObject) -> None:
    """Learn about *start* and its parents one by one, where they are of kinds that are not gathered."""
    at: ClusterObject | None = start
    for _ in range(_LONGEST_CLIMB):
        if at is None or gathered.ledger.claims_on(at):
            return
        facts = await _looked_at(client, at)
        if facts is None:
            return
        gathered.ledger.replace(facts.object, learn(facts, gathered.setting))
        at = gathered.ledger.parent_of(at)


async def _looked_at(client: Client, wanted: ClusterObject) -> Facts | None:
    ref = wanted.ref
    kind = GroupKind(ref.group, ref.kind)
    try:
        resource = await client.discovery.resource(kind)
        return read_facts(await client.get(resource.target(ref.namespace, ref.name), metadata_only=True), kind)
    except (Forbidden, NotFound, UnknownKind):
        return None


class _Gathering:
    def __init__(self, client: Client, catalog: Catalog) -> None:
        self._client = client
        self._catalog = catalog
        self._ledger = Ledger()
        self._setting = Setting()
        self._local_configs: frozenset[str] = frozenset()
        self._terraform: dict[tuple[str, str, str], Ref] = {}
        self._unseen: list[Unseen] = [Unseen(str(at), why) for at, why in catalog.unavailable.items()]
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def run(self) -> Gathered:
        await self._find_setting()
        async with task_group() as tasks:
            for resource in _preferred(self._catalog):
                tasks.create_task(self._kind(resource))
        await self._states()
        return Gathered(self._ledger, self._setting, tuple(sorted(set(self._unseen))))

    async def _find_setting(self) -> None:
        scopes = Scopes({each.gvk.group_kind: each.namespaced for each in self._catalog.resources})
        claims = _claim_kinds(await self._all(_DEFINITIONS))
        maps = await self._all(_CONFIG_MAPS, Selection(fields=f"metadata.name={_ARGO_SETTINGS}"))
        self._setting = Setting(_tracking(maps), claims, scopes)
        configs = [each for group in OBJECT_GROUPS for each in await self._all(GroupKind(group, "ProviderConfig"))]
        self._local_configs = frozenset(Object(each).name for each in configs if is_local_config(each))

    async def _all(self, kind: GroupKind, selection: Selection = _ALL) -> list[JsonObject]:
        """Whole objects of kinds of which there are few."""
        resource = self._catalog.by_kind(kind)
        if resource is None:
            return []
        try:
            page = await self._client.list(resource.target(), selection)
        except (Forbidden, NotFound, ServerFault) as refused:
            self._unseen.append(Unseen(str(kind), refused.why or refused.what))
            return []
        return [decode(item) for item in page.items]

    async def _kind(self, resource: Resource) -> None:
        kind = resource.gvk.group_kind
        whole = (
            bool(type_of_kind(kind)) or kind == _TERRAFORM or (kind.kind == "Object" and kind.group in OBJECT_GROUPS)
        )
        async with self._turns:
            try:
                await self._pages(resource.target(), kind, whole=whole)
            except (Forbidden, NotFound, ServerFault) as refused:
                self._unseen.append(Unseen(str(kind), refused.why or refused.what))

    async def _pages(self, target: Target, kind: GroupKind, *, whole: bool) -> None:
        async with aclosing(self._client.pages(target, Selection(metadata_only=not whole))) as pages:
            async for page in pages:
                for item in page.items:
                    self._learn(item, kind, whole=whole)

    def _learn(self, item: bytes, kind: GroupKind, *, whole: bool) -> None:
        facts = read_facts(item, kind)
        learned = learn(facts, self._setting)
        if whole:
            obj = decode(item)
            outside = [*learn_managed(obj, local_configs=self._local_configs), *learn_terraform(obj)]
            learned = Learned((*learned.claims, *outside), learned.parents)
            if kind == _TERRAFORM:
                where, ref = state_of_terraform(obj)
                self._terraform[where] = ref
        self._ledger.replace(facts.object, learned)

    async def _states(self) -> None:
        stored = stored_states(await self._all(_SECRETS, Selection(labels=SELECTOR)))
        self._unseen += (Unseen(str(ref), why) for ref, why in stored.faults)
        for state in stored.states:
            owner = terraform_owner(state, self._terraform)
            at = ClusterObject(state.secret)
            try:
                claims = state_claims(state.content, owner, Source(object=at))
            except BadDocument as fault:
                self._unseen.append(Unseen(str(state.secret), fault.why))
                continue
            dated = (msgspec.structs.replace(claim, since=state.created) for claim in claims)
            self._ledger.replace(("state", at), Learned(tuple(dated)))


def _preferred(catalog: Catalog) -> Iterable[Resource]:
    """Each kind once, in the version that the server prefers, if it can be listed and is worth it."""
    for resource in catalog.resources:
        kind = resource.gvk.group_kind
        stored = "list" in resource.verbs and kind.group not in _NOT_STORED and kind.kind not in _CHILDREN
        if stored and catalog.by_kind(kind) == resource:
            yield resource


def _tracking(maps: list[JsonObject]) -> Tracking:
    """As the settings of the one installation that there is say; the usual where there is none or several."""
    named = [each for each in map(Object, maps) if each.name == _ARGO_SETTINGS]
    if len(named) != 1:
        return Tracking()
    view = named[0]
    entries = view.raw.get("data")
    settings: JsonObject = entries if isinstance(entries, dict) else {}
    usual = Tracking()
    method = settings.get("application.resourceTrackingMethod")
    return Tracking(
        method if method in _METHODS else usual.method,
        str(settings.get("application.instanceLabelKey") or usual.label_key),
        str(settings.get("installationID") or ""),
        view.namespace,
    )


def _claim_kinds(definitions: list[JsonObject]) -> dict[GroupKind, GroupKind]:
    found: dict[GroupKind, GroupKind] = {}
    for each in definitions:
        spec = Object(each).spec
        names, claims = spec.get("names"), spec.get("claimNames")
        if isinstance(names, dict) and isinstance(claims, dict):
            group = str(spec.get("group") or "")
            found[GroupKind(group, str(names.get("kind")))] = GroupKind(group, str(claims.get("kind")))
    return found
