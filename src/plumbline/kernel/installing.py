"""Putting our kinds on a cluster: what is missing is made, what is ours is brought up to date, what is others' stays."""

import contextlib
from collections.abc import Iterable
from typing import Any, Final

from plumbline.base.clock import Clock
from plumbline.base.errors import AlreadyExists, NotFound, TimedOut, UnknownKind
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kinds.crd import Create, Update, crd_manifest, plan_crd
from plumbline.kinds.kind import Kind
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource

CRDS: Final = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
AS_US: Final = Writing(field_manager="plumbline")
_GLANCES: Final = 100
_GLANCE_S: Final = 0.05


async def installed(client: Client, kinds: Iterable[Kind[Any, Any]], clock: Clock) -> None:
    """Define *kinds*, and return once the server serves all of them."""
    kinds = tuple(kinds)
    for kind in kinds:
        await _defined(client, kind)
    for kind in kinds:
        await served(client, Target(kind.resource), clock)
    client.discovery.forget()


async def served(client: Client, collection: Target, clock: Clock) -> None:
    """A server takes a moment between being told of a kind and serving it."""
    for _ in range(_GLANCES):
        try:
            await client.list(collection)
        except (NotFound, UnknownKind):
            await clock.sleep(_GLANCE_S)
        else:
            return
    raise TimedOut(f"{collection.resource} is defined, and not served after {_GLANCES * _GLANCE_S:g} s")


async def made(client: Client, collection: Target, obj: JsonObject) -> None:
    """Make *obj*, unless there is one of its name: whoever finds it there needs no right to make it."""
    try:
        await client.get(collection._replace(name=obj["metadata"]["name"]), metadata_only=True)
    except NotFound:
        with contextlib.suppress(AlreadyExists):
            await client.create(collection, encode(obj), AS_US)


async def _defined(client: Client, kind: Kind[Any, Any]) -> None:
    ours, target = crd_manifest(kind), Target(CRDS, name=kind.crd_name)
    try:
        live = decode(await client.get(target))
    except NotFound:
        live = None
    plan = plan_crd(ours, live)
    if isinstance(plan, Create):
        await made(client, target.collection, plan.manifest)
    elif isinstance(plan, Update):
        await client.update(target, encode(plan.manifest), AS_US)
