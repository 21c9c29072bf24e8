"""From a revision to what its functions want: the pipeline, with everything that it needs from the cluster."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.base.plaintext import Plaintext
from plumbline.composition.composites.planning import Templates
from plumbline.composition.composites.state import Composed, Revision
from plumbline.composition.connections import SECRETS, details
from plumbline.composition.functions.values import Answer, Call, Function, Resource, SchemaSelector, Selector, State
from plumbline.composition.patching.native import Native, native
from plumbline.composition.pipeline.runner import run
from plumbline.composition.pipeline.sources import Sources
from plumbline.composition.pipeline.values import COMPOSE, Credential, Event, Step
from plumbline.kernel.collections import Collections
from plumbline.kernel.kinds import Kinds
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.client.transport import Request
from plumbline.kube.names import GroupVersionKind

_FOLLOWED: Final = frozenset({"apiextensions.crossplane.io"})
"""Groups whose objects are few and asked for by every composite: they are read from a copy."""
_KEPT: Final = 256
_TTL_S: Final = 60.0


class Pipelines:
    """Runs revisions. What can be prepared once for a revision is."""

    def __init__(
        self, client: Client, kinds: Kinds, collections: Collections, function: Callable[[str], Function]
    ) -> None:
        """*function* finds a function by the name that a step gives; it raises where there is none."""
        self._client = client
        self._kinds = kinds
        self._collections = collections
        self._sources = Sources(function, self._fetched, self._schema, self._secret)
        self._prepared: dict[tuple[str, str], tuple[Step, ...] | Native] = {}
        self.followed: Callable[[GroupVersionKind], Awaitable[None]] | None = None
        """Told of a kind whose copy a pipeline has begun to read."""

    def templates(self, revision: Revision) -> Templates | None:
        prepared = self._preparation(revision)
        return Templates(prepared.names, prepared.anonymous) if isinstance(prepared, Native) else None

    async def run(self, revision: Revision, observed: State) -> Composed:
        prepared = self._preparation(revision)
        if isinstance(prepared, Native):
            return _natively(await prepared.run(Call(observed=observed)))
        outcome = await run(prepared, observed, self._sources)
        return Composed(
            desired=outcome.desired,
            events=outcome.events,
            conditions=outcome.conditions,
            fatal=outcome.failure.message if outcome.failure is not None else "",
            ttl_s=outcome.ttl_s or _TTL_S,
            required=frozenset((each.api_version, each.kind) for each in outcome.required if _is_followed(each)),
        )

    def _preparation(self, revision: Revision) -> tuple[Step, ...] | Native:
        key = revision.name, revision.version
        known = self._prepared.get(key)
        if known is None:
            if len(self._prepared) >= _KEPT:
                self._prepared.clear()
            known = self._prepared[key] = _prepared(revision.spec)
        return known

    async def _fetched(self, selector: Selector) -> Sequence[Resource]:
        gvk = GroupVersionKind.parse(selector.api_version, selector.kind)
        resource = await self._kinds.resource(gvk)
        if resource is None:
            return ()
        if resource.group in _FOLLOWED:
            return await self._copied(gvk, selector)
        if selector.labels is None:
            try:
                raw = await self._client.get(resource.target(selector.namespace, selector.name))
            except NotFound:
                return ()
            return (Resource(decode(raw)),)
        labels = ",".join(f"{key}={value}" for key, value in sorted(selector.labels.items()))
        page = await self._client.list(resource.target(selector.namespace), Selection(labels=labels))
        return _ordered([decode(bytes(each)) for each in page.items])

    async def _copied(self, gvk: GroupVersionKind, selector: Selector) -> Sequence[Resource]:
        resource = await self._kinds.resource(gvk)
        assert resource is not None  # noqa: S101 - asked just now
        informer, begun = await self._collections.follow(resource.gvr)
        if not await informer.readable():
            return ()
        if begun and self.followed is not None:
            await self.followed(gvk)
        if selector.labels is None:
            entry = informer.cache.get((selector.namespace, selector.name))
            return () if entry is None else (Resource(entry.object()),)
        asked = selector.labels.items()
        matching = [each.object() for each in informer.cache if asked <= each.meta.labels.items()]
        return _ordered(
            [each for each in matching if selector.namespace in {"", each["metadata"].get("namespace", "")}]
        )

    async def _secret(self, credential: Credential) -> Mapping[str, Plaintext]:
        target = Target(SECRETS, credential.secret_namespace, credential.secret_name)
        return details(decode(await self._client.get(target)))

    async def _schema(self, selector: SchemaSelector) -> JsonObject:
        gvk = GroupVersionKind.parse(selector.api_version, selector.kind)
        if await self._kinds.resource(gvk) is None:
            return {}
        place = f"apis/{gvk.api_version}" if gvk.group else f"api/{gvk.version}"
        document = decode((await self._client.send(Request("GET", f"/openapi/v3/{place}"))).body)
        marked = {"group": gvk.group, "version": gvk.version, "kind": gvk.kind}
        schemas = (document.get("components") or {}).get("schemas") or {}
        return next(
            (each for each in schemas.values() if marked in (each.get("x-kubernetes-group-version-kind") or ())), {}
        )


def _is_followed(selector: Selector) -> bool:
    """Whether anybody tells us of a change of it: who is shown what nobody follows is looked at again in time."""
    return GroupVersionKind.parse(selector.api_version, selector.kind).group in _FOLLOWED


def _prepared(spec: JsonObject) -> tuple[Step, ...] | Native:
    if spec.get("mode") == "Resources" or (not spec.get("mode") and "resources" in spec):
        return native(spec)
    return tuple(Step.of(each) for each in spec.get("pipeline") or ())


def _natively(answer: Answer) -> Composed:
    """What templates without functions want: they speak about the composite's spec too, and say nothing of steps."""
    fatal = next((each.message for each in answer.results if each.severity == "Fatal"), "")
    events = tuple(
        Event(
            type="Normal" if each.severity == "Normal" else "Warning",
            reason=each.reason or COMPOSE,
            message=each.message,
        )
        for each in answer.results
        if each.severity != "Fatal"
    )
    spec = answer.desired.composite.resource.get("spec")
    return Composed(
        desired=State() if fatal else answer.desired,
        events=events,
        left_alone=answer.left_alone,
        fatal=fatal,
        spec=spec if isinstance(spec, dict) and not fatal else {},
    )


def _ordered(objects: list[JsonObject]) -> tuple[Resource, ...]:
    placed = sorted(objects, key=lambda each: (each["metadata"].get("namespace", ""), each["metadata"]["name"]))
    return tuple(Resource(each) for each in placed)
