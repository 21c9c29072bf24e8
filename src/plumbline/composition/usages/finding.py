"""The objects that a usage names or selects, as they are now; or why they cannot be had, in upstream's words."""

from typing import Literal, NamedTuple

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.composition.usages.resolving import chosen, matching, namespace_of, nothing_fits
from plumbline.composition.usages.values import gvk_of, named
from plumbline.kernel.kinds import Kinds
from plumbline.kernel.outcomes import Stuck, Wait
from plumbline.kinds.crossplane.usage import Resource
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.client.catalog import Resource as Served
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind, Ref

RESOLVE = "ResolveSelectors"
GET_USED = "GetUsedResource"
GET_USING = "GetUsingResource"

Side = Literal["of", "by"]


class Found(NamedTuple):
    """What one side of a usage means."""

    ref: Ref
    target: Target
    object: JsonObject | None
    """None where it is not there."""


class Finder:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._kinds = Kinds(client)

    async def find(self, side: Side, resource: Resource, usage: JsonObject, wait_s: float) -> Found | Wait | Stuck:
        gvk = gvk_of(resource)
        served = await self._kinds.resource(gvk)
        if served is None:
            return Wait(_reason(side), f"cannot get {_role(side)}: {_unserved(gvk)}", wait_s)
        own = str(usage["metadata"].get("namespace") or "")
        misplaced = _misplaced(side, served, own)
        if misplaced:
            return Stuck(_reason(side), misplaced)
        ref = named(resource, own)
        if ref is None:
            return await self._selected(side, resource, served, usage, wait_s)
        target = served.target(ref.namespace, ref.name)
        return Found(ref._replace(namespace=target.namespace), target, await self.get(target))

    async def get(self, target: Target) -> JsonObject | None:
        try:
            found: JsonObject = decode(await self._client.get(target))
        except NotFound:
            return None
        return found

    async def known(self, side: Side, resource: Resource, own: str) -> Found | None:
        """What a usage has said that it means, whether or not it is there; None where it never has, or may not mean it."""
        ref, served = named(resource, own), await self._kinds.resource(gvk_of(resource))
        if ref is None or served is None or _misplaced(side, served, own):
            return None
        target = served.target(ref.namespace, ref.name)
        return Found(ref._replace(namespace=target.namespace), target, await self.get(target))

    async def place(self, gvk: GroupVersionKind, ref: Ref) -> Target | None:
        served = await self._kinds.resource(gvk)
        return served.target(ref.namespace, ref.name) if served is not None else None

    async def _selected(
        self, side: Side, resource: Resource, served: Served, usage: JsonObject, wait_s: float
    ) -> Found | Wait | Stuck:
        selector = resource.resource_selector
        if selector is None:
            return Stuck(RESOLVE, f"cannot resolve selectors: spec.{side} names nothing and selects nothing")
        own = str(usage["metadata"].get("namespace") or "")
        target = served.target(namespace_of(selector, own))
        page = await self._client.list(target, Selection(labels=matching(selector.match_labels)))
        listed: list[JsonObject] = [decode(each) for each in page.items]
        found = chosen(listed, selector, usage)
        if found is None:
            told = nothing_fits(side, resource.kind, selector, any_labelled=bool(listed))
            return Wait(RESOLVE, told, wait_s)
        ref = Ref.of({**found, "apiVersion": resource.api_version, "kind": resource.kind})
        return Found(ref, served.target(ref.namespace, ref.name), found)


def missing(side: Side, found: Found, wait_s: float) -> Wait:
    group, _, plural = found.target.resource
    what = f"{plural}.{group}" if group else plural
    return Wait(_reason(side), f"cannot get {_role(side)}: {what} {quoted(found.ref.name)} not found", wait_s)


def _reason(side: Side) -> str:
    return GET_USED if side == "of" else GET_USING


def _role(side: Side) -> str:
    return "used" if side == "of" else "using"


def _unserved(gvk: GroupVersionKind) -> str:
    return f"no matches for kind {quoted(gvk.kind)} in version {quoted(gvk.api_version)}"


def _misplaced(side: Side, served: Served, own: str) -> str:
    """Upstream looks for such in vain for ever. A namespace's users have no say in what belongs to the whole cluster."""
    if served.namespaced and not own:
        return f"{served.kind} is namespaced, so only a Usage in its namespace can name it in spec.{side}"
    if side == "of" and not served.namespaced and own:
        return f"{served.kind} is cluster-scoped, so only a ClusterUsage can protect it"
    return ""
