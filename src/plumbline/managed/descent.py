"""Who asked for a deletion: somebody who named the thing, or something above it that takes everything below it down.

Deleting a managed resource, its composite or its claim is a request for exactly that. A namespace that is deleted, or a
definition that goes away, takes down what nobody named. What holds data then waits for somebody to agree.
"""

from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.base.errors import NotFound, UnknownKind
from plumbline.base.json import JsonObject, decode
from plumbline.gate.consent import POLICY_ANNOTATION
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionKind, GroupVersionResource
from plumbline.kube.object import Object, OwnerReference

_NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")
_CRDS: Final = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_DEFINITIONS: Final = GroupVersionResource("apiextensions.crossplane.io", "v1", "compositeresourcedefinitions")
_CLAIM_NAMESPACE: Final = "crossplane.io/claim-namespace"
_DEEPEST: Final = 8
_POLICIES: Final = frozenset({"enforce", "warn", "off"})

Policy: TypeAlias = Literal["enforce", "warn", "off"]


class Asked(NamedTuple):
    """How a deletion came about."""

    how: Literal["deletion", "descent"]
    by: str = ""
    """What takes it down, where nobody asked for this very thing."""
    policy: Policy = "enforce"
    """What its namespace says about destruction."""


class Descents:
    """Asks the API what is above a managed resource. Only deletions of what holds data come here."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def asked(self, obj: JsonObject, resource: GroupVersionResource) -> Asked:
        look = _Ascent(self._client)
        view = Object(obj)
        look.when(view.deletion_timestamp)
        await look.definition(str(resource), lasting=True)
        for namespace in dict.fromkeys((view.namespace, view.labels.get(_CLAIM_NAMESPACE, ""))):
            await look.namespace(namespace)
        await look.owners(view)
        return look.answer()


class _Ascent:
    """One way up. What went first is what was asked for; what came down after something above it was taken along."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._first = ""
        self._above: list[tuple[str, str]] = []
        self._policy: Policy = "enforce"

    def when(self, deleted: str) -> None:
        if deleted and (not self._first or deleted < self._first):
            self._first = deleted

    def answer(self) -> Asked:
        taking = [name for deleted, name in self._above if deleted <= self._first]
        return Asked("descent" if taking else "deletion", taking[0] if taking else "", self._policy)

    async def namespace(self, name: str) -> None:
        if not name:
            return
        found = await self._get(Target(_NAMESPACES, name=name))
        self._consider(found, f"namespace {name}")
        said = Object(found).annotations.get(POLICY_ANNOTATION, "") if found is not None else ""
        if said in _POLICIES:
            self._policy = said  # type: ignore[assignment]  # the set holds nothing else

    async def definition(self, name: str, *, lasting: bool = False) -> None:
        """*lasting* is one that must be there still, since it has objects."""
        found = await self._get(Target(_CRDS, name=name))
        if found is not None or not lasting:
            self._consider(found, f"CustomResourceDefinition {name}")

    async def owners(self, view: Object, depth: int = _DEEPEST) -> None:
        owner = view.controller
        if owner is None or depth == 0:
            return
        target = await self._located(owner, view.namespace)
        if target is None:
            self._above.append(("", f"the definition of {owner.kind}"))
            return
        name = str(target.resource)
        await self.definition(name)
        definition = await self._get(Target(_DEFINITIONS, name=name))
        if definition is not None:
            self._consider(definition, f"CompositeResourceDefinition {name}")
        found = await self._get(target)
        if found is None or Object(found).uid != owner.uid:
            return
        above = Object(found)
        if not above.deletion_timestamp:
            return
        self.when(above.deletion_timestamp)
        await self._claim(above)
        await self.owners(above, depth - 1)

    async def _claim(self, composite: Object) -> None:
        said = composite.spec.get("claimRef")
        if not isinstance(said, dict):
            return
        kind = GroupVersionKind.parse(str(said.get("apiVersion") or ""), str(said.get("kind") or ""))
        try:
            resource = (await self._client.discovery.resource(kind)).gvr
        except UnknownKind:
            return
        place = Target(resource, str(said.get("namespace") or ""), str(said.get("name") or ""))
        found = await self._get(place)
        self.when(Object(found).deletion_timestamp if found is not None else "")

    async def _located(self, owner: OwnerReference, namespace: str) -> Target | None:
        """Where the owner is, or was; None where its kind is no more."""
        try:
            found = await self._client.discovery.resource(GroupVersionKind.parse(owner.api_version, owner.kind))
        except UnknownKind:
            return None
        return Target(found.gvr, namespace if found.namespaced else "", owner.name)

    def _consider(self, found: JsonObject | None, name: str) -> None:
        deleted = Object(found).deletion_timestamp if found is not None else ""
        if found is None or deleted:
            self._above.append((deleted, name))

    async def _get(self, target: Target) -> JsonObject | None:
        try:
            return decode(await self._client.get(target))
        except (NotFound, UnknownKind):
            return None
