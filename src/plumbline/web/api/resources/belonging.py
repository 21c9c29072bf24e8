"""Whether an object is an application's. Nothing is shown or done of any other.

An object belongs that the application is recorded to deliver, and that nobody else has marked as theirs; and everything
that such an object owns, however far down. Owners are followed upwards, from the object that is asked about, so that it
costs as many questions as the tree is deep. What the project does not permit belongs to nobody.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.base.errors import Forbidden, InvalidInput, NotFound, Refused
from plumbline.base.json import JsonObject, decode
from plumbline.composition.parts import below
from plumbline.delivery.live.collection import instance_of
from plumbline.kernel.cache import Cached, Relevance, cached
from plumbline.kube.client import Target
from plumbline.kube.client.catalog import Resource
from plumbline.kube.names import GroupKind, GroupVersionKind, Ref
from plumbline.kube.object import Object
from plumbline.ownership.learn.tracking import Tracking
from plumbline.web.api.resources.asking import Place

_DEEPEST: Final = 16
_MOST_OWNERS: Final = 32
_WHOLE: Final = Relevance()


class Wanted(NamedTuple):
    """Which object somebody asks about. Its version may be left out, and is the cluster's choice then."""

    ref: Ref
    version: str = ""

    @classmethod
    def of(cls, query: dict[str, str]) -> "Wanted":
        parts = [query.get(name, "") for name in ("group", "kind", "namespace", "resourceName")]
        if not parts[1] or not parts[3]:
            raise InvalidInput(
                "no object is named", hint="Say kind and resourceName, and group and namespace it has any."
            )
        return cls(Ref(*parts), query.get("version", ""))


class Owned(NamedTuple):
    obj: JsonObject
    resource: Resource
    target: Target


def listed(app: JsonObject) -> frozenset[Ref]:
    """What the application is recorded to deliver."""
    rows = below(app, "status").get("resources")
    found = (each for each in rows if isinstance(each, dict)) if isinstance(rows, list) else ()
    return frozenset(
        Ref(*(str(each.get(part) or "") for part in ("group", "kind", "namespace", "name"))) for each in found
    )


class Belonging:
    def __init__(self, place: Place, app: JsonObject, tracking: Tracking) -> None:
        self._place = place
        self._listed = listed(app)
        self._tracking = tracking
        self._seen: set[str] = set()

    async def owned(self, wanted: Wanted, *, marked: bool = False) -> Owned:
        """The object, if it belongs. To be changed it has to be *marked* as the application's, itself or its owner.

        Raises Forbidden for every other, be it there or not, and NotFound for one that should be there.
        """
        ref = wanted.ref
        refusal = Forbidden(
            f"{ref.kind} {ref.group} {ref.name} not found as part of application {self._place.facts.name}",
            hint="See what is with: plumb app resources.",
        )
        if not self._place.permitted(ref):
            raise refusal
        resource = await self._resource(ref, wanted.version)
        if resource is None:
            raise refusal
        target = resource.target(ref.namespace, ref.name)
        try:
            entry = cached(await self._place.client.get(target), _WHOLE)
        except (NotFound, InvalidInput):
            if ref in self._listed:
                raise NotFound(f"{ref} is not there", hint="Sync the application to have it made.") from None
            raise refusal from None
        if not await self._belongs(ref, entry, 0, marked=marked):
            raise refusal
        return Owned(entry.object(), resource, target)

    async def _resource(self, ref: Ref, version: str) -> Resource | None:
        catalog = await self._place.client.discovery.catalog()
        wanted = GroupVersionKind(ref.group, version, ref.kind) if version else GroupKind(ref.group, ref.kind)
        resource = catalog.by_kind(wanted) or catalog.by_kind(GroupKind(ref.group, ref.kind))
        fits = resource is not None and resource.namespaced is bool(ref.namespace)
        return resource if fits else None

    async def _belongs(self, ref: Ref, entry: Cached, depth: int, *, marked: bool) -> bool:
        if not self._place.permitted(ref) or entry.meta.uid in self._seen or depth > _DEEPEST:
            return False
        self._seen.add(entry.meta.uid)
        instance = instance_of(entry.meta, ref, self._tracking)
        ours = instance == self._place.facts.instance
        if ref in self._listed and (ours or (not instance and not marked)):
            return True
        for owner in self._owners(ref, entry):
            found = await self._owner(owner, entry)
            if found is not None and await self._belongs(*found, depth + 1, marked=marked):
                return True
        return False

    def _owners(self, ref: Ref, entry: Cached) -> Iterator[tuple[GroupVersionKind, str, str, str]]:
        """Kind, namespace, name and uid. An owner is in the same namespace, or in none."""
        for each in entry.meta.owner_references[:_MOST_OWNERS]:
            gvk = GroupVersionKind.parse(each.api_version, each.kind)
            yield gvk, ref.namespace, each.name, each.uid
        claim = below(entry.object(), "spec", "claimRef")
        if claim.get("name") and claim.get("kind"):
            gvk = GroupVersionKind.parse(str(claim.get("apiVersion") or ""), str(claim["kind"]))
            yield gvk, str(claim.get("namespace") or ""), str(claim["name"]), ""

    async def _owner(
        self, owner: tuple[GroupVersionKind, str, str, str], below_it: Cached
    ) -> tuple[Ref, Cached] | None:
        gvk, namespace, name, uid = owner
        catalog = await self._place.client.discovery.catalog()
        resource = catalog.by_kind(gvk) or catalog.by_kind(gvk.group_kind)
        if resource is None:
            return None
        ref = Ref(gvk.group, gvk.kind, namespace if resource.namespaced else "", name)
        try:
            entry = cached(await self._place.client.get(resource.target(ref.namespace, name)), _WHOLE)
        except Refused:  # what comes and goes is no answer
            return None
        known = entry.meta.uid == uid if uid else _claims(entry.object(), below_it)
        return (ref, entry) if known else None


def _claims(claim: JsonObject, composite: Cached) -> bool:
    """Whether a claim says that the composite is its own, as the composite says that it is the claim's."""
    named = below(claim, "spec", "resourceRef")
    made = Object(decode(composite.raw))
    return (named.get("kind"), named.get("name")) == (made.kind, made.name)
