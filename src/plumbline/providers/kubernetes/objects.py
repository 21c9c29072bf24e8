"""Objects: any manifest, kept as it is written in a cluster, by server-side apply under upstream's field manager."""

import base64
import binascii
from typing import Final, NamedTuple

from plumbline.base.errors import BadFieldPath, FieldNotFound, InvalidInput, NotFound, Transient
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.gate.contents import held as held_by
from plumbline.kube.apply.operations import LAST_APPLIED
from plumbline.kube.client import Target, Writing
from plumbline.kube.diff import ABSENT as MISSING
from plumbline.kube.diff import diff
from plumbline.kube.fieldpath import get_path
from plumbline.kube.gotext import printed
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.object import Object as View
from plumbline.managed.external import ABSENT, Created, Difference, Managed, Observed, Updated
from plumbline.providers.kubernetes.clusters import Cluster
from plumbline.providers.kubernetes.readiness import ReadyQuery, readiness
from plumbline.providers.kubernetes.reading import (
    Detail,
    Reference,
    deletes,
    deleting,
    details_of,
    field_manager,
    limited,
    manifest_of,
    observes_only,
    propagation_of,
    references_of,
)
from plumbline.providers.kubernetes.referring import PREFIX, Referred, patched

_NOT_READY_S: Final = 30.0
_WATCHED_S: Final = 10.0
_MOST_BYTES: Final = 1_300_000
"""Of manifest and status together: no API server takes more than a megabyte and a half, with managed fields and all."""
_TELLING: Final = frozenset({"apiVersion", "kind", "metadata", "status"})
_SECRET: Final = GroupVersionKind("", "v1", "Secret")


class Meant(NamedTuple):
    """What an Object wants, with everything that it refers to put in."""

    manifest: JsonObject
    references: tuple[Reference, ...]
    found: list[JsonObject]


class Objects:
    def __init__(self, cluster: Cluster, referred: Referred, query: ReadyQuery | None) -> None:
        self._cluster = cluster
        self._referred = referred
        self._query = query

    async def observe(self, managed: Managed) -> Observed:
        if deleting(managed):
            return await self._leaving(managed)
        meant = await self._meant(managed)
        live = await self._live(meant.manifest)
        if live is None:
            if not limited(managed) & {"*", "Create"}:
                raise NotFound(
                    f"{Ref.of(meant.manifest)} does not exist", why="and managementPolicy does not let it be made"
                )
            return ABSENT
        return await self._seen(managed, meant, live)

    async def create(self, managed: Managed) -> Created:
        await self._apply(managed)
        return Created()

    async def update(self, managed: Managed, observed: Observed) -> Updated:
        del observed
        await self._apply(managed)
        return Updated()

    async def delete(self, managed: Managed, observed: Observed) -> None:
        del observed
        manifest = manifest_of(managed)
        live = await self._live(manifest)
        if live is None or not deletes(managed):
            await self._referred.release(references_of(managed), managed.uid)
        elif not View(live).deletion_timestamp:
            await self._cluster.client.delete(
                await self._cluster.target(manifest), uid=View(live).uid, propagation=propagation_of(managed)
            )

    async def _seen(self, managed: Managed, meant: Meant, live: JsonObject) -> Observed:
        differences = () if observes_only(managed) else await self._differences(managed, meant, live)
        state = readiness(managed, live, self._query)
        watched = View(managed.object).spec.get("watch") is True
        after_s = _WATCHED_S if watched else None
        return Observed(
            exists=True,
            at_provider={"manifest": _fitting(managed, shown(live))},
            differences=differences,
            connection={} if differences else await self._connection(managed),
            state="Available" if state.ready else "Unavailable",
            message=state.why,
            holds=held_by(Ref.of(live)),
            after_s=after_s if state.ready else min(_NOT_READY_S, after_s or _NOT_READY_S),
        )

    async def _leaving(self, managed: Managed) -> Observed:
        """What it stands for goes first, then what it refers to is let go of."""
        references = references_of(managed)
        manifest = manifest_of(managed)
        try:
            live = await self._live(manifest)
        except Transient:
            if await self._cluster.kinds.resource(GroupVersionKind.of(manifest)) is not None:
                raise
            live = None  # a kind that is no more has no objects
        if live is not None and deletes(managed):
            going = bool(View(live).deletion_timestamp)
            return Observed(
                exists=True,
                at_provider={"manifest": _fitting(managed, shown(live))},
                state="Deleting" if going else "Available",
                message=f"Waiting until {', '.join(View(live).finalizers)} let go of it" if going else "",
                holds=held_by(Ref.of(live)),
            )
        if left := await self._referred.held(references, managed.uid):
            why = f"Letting go of {', '.join(map(str, left))}"
            return Observed(exists=True, state="Unavailable", message=why)
        return ABSENT

    async def _meant(self, managed: Managed) -> Meant:
        references = references_of(managed)
        found = await self._referred.found(references)
        return Meant(patched(manifest_of(managed), references, found), references, found)

    async def _live(self, manifest: JsonObject) -> JsonObject | None:
        target = await self._cluster.target(manifest)
        try:
            return decode(await self._cluster.client.get(target))
        except NotFound:
            return None

    async def _apply(self, managed: Managed) -> None:
        meant = await self._meant(managed)
        # Before, as it is needed from the first moment on.
        if deletes(managed):
            await self._referred.hold(meant.references, managed.uid)
        else:
            await self._referred.release(meant.references, managed.uid)
        target: Target = await self._cluster.target(meant.manifest)
        writing = Writing(field_manager=field_manager(managed), force=True)
        await self._cluster.client.apply(target, encode(meant.manifest), writing)

    async def _differences(self, managed: Managed, meant: Meant, live: JsonObject) -> tuple[Difference, ...]:
        shape = await self._cluster.kinds.shape(GroupVersionKind.of(meant.manifest))
        found = [
            Difference(f"manifest{each.path}", *_values(each.desired, each.live))
            for each in diff(meant.manifest, live, shape, manager=field_manager(managed))
        ]
        finalizer, wanted = PREFIX + managed.uid, deletes(managed)
        for reference, obj in zip(meant.references, meant.found, strict=True):
            held = finalizer in View(obj).finalizers
            if held != wanted:
                found.append(Difference(f"references[{reference}]", wanted=wanted, found=held))
        return tuple(found)

    async def _connection(self, managed: Managed) -> dict[str, Plaintext]:
        return {detail.key: await self._detail(detail) for detail in details_of(managed)}

    async def _detail(self, detail: Detail) -> Plaintext:
        obj = await self._cluster.find(detail.gvk, detail.namespace, detail.name)
        what = f"there is no value for {detail.key!r} of the connection Secret"
        if obj is None:
            raise Transient(what, why=f"{detail.gvk.kind} {detail.namespace}/{detail.name} is not there")
        try:
            value = get_path(obj, detail.path)
        except (FieldNotFound, BadFieldPath) as missing:
            raise Transient(what, why=str(missing)) from missing
        text = value if isinstance(value, str) else printed(value)
        if detail.gvk != _SECRET or not detail.path.startswith("data"):
            return Plaintext(text)
        try:
            return Plaintext(base64.b64decode(text, validate=True))
        except (binascii.Error, ValueError):
            raise InvalidInput(what, why=f"{detail.path} of the Secret is no base64") from None


def shown(live: JsonObject) -> JsonObject:
    """*live* as its status may show it: who manages which field says nothing here, and secret values nobody may see."""
    view = View(live).without_managed_fields()
    if view.gvk != _SECRET:
        return view.raw
    bare = view.without_annotation(LAST_APPLIED).raw
    return {**{key: value for key, value in bare.items() if key != "stringData"}, "data": {"redacted": None}}


def _fitting(managed: Managed, manifest: JsonObject) -> JsonObject:
    """*manifest*, or what tells how it fares where the Object could not be written with all of it."""
    own = {key: value for key, value in managed.object.items() if key != "status"}
    if len(encode(manifest)) + len(encode(own)) <= _MOST_BYTES:
        return manifest
    return {key: value for key, value in manifest.items() if key in _TELLING}


def _values(wanted: object, found: object) -> tuple[object, object]:
    return (None if wanted is MISSING else wanted), (None if found is MISSING else found)
