"""Objects that carry an application's mark and are of kinds that nobody had a reason to watch.

What an application delivers, or delivered, is watched. What somebody else has marked as part of it is only found by
looking, in its namespace and outside of all: that is done where somebody asks to look again. What is outside of namespaces
is the same for all applications, so that a thousand that are refreshed look there once in a while.
"""

import asyncio
from typing import Final

import msgspec

from plumbline.base.errors import PlumblineError
from plumbline.base.tasks import task_group
from plumbline.delivery.live.collection import instance_of
from plumbline.delivery.steps.orphans import interesting
from plumbline.delivery.steps.state import At
from plumbline.kernel.cache import Meta
from plumbline.kube.client import Selection
from plumbline.kube.client.catalog import Resource
from plumbline.kube.names import Ref

_AT_ONCE: Final = 8
_PAGE: Final = 500


class _Marked(msgspec.Struct, frozen=True):
    metadata: Meta


_decoder: Final = msgspec.json.Decoder(_Marked)


async def searched(at: At, namespace: str) -> bool:
    """Have kinds be watched of which the application has an object; whether there were any that were not."""
    live = at.destination.live
    outside = live.outside_is_due()
    catalog = await live.kinds.catalog()
    watched = {each.resource.gvk.group_kind for each in live.collections}
    unwatched = [
        each
        for each in catalog.resources
        if catalog.by_kind(each.gvk.group_kind) is each
        and each.gvk.group_kind not in watched
        and "watch" in each.verbs
        and (namespace if each.namespaced else outside)
        and interesting(each, at)
    ]
    turns = asyncio.Semaphore(_AT_ONCE)
    async with task_group() as group:
        asked = [(each, group.create_task(_has(at, each, namespace, turns))) for each in unwatched]
    found = [each for each, has in asked if has.result()]
    for each in found:
        await live.watch(each.gvk)
    return bool(found)


async def _has(at: At, resource: Resource, namespace: str, turns: asyncio.Semaphore) -> bool:
    tracking, instance = at.settings.tracking, at.facts.instance
    marked = f"{tracking.label_key}={instance}" if tracking.method == "label" else ""
    selection = Selection(labels=marked, limit=_PAGE, metadata_only=True)
    target = resource.target(namespace if resource.namespaced else "")
    try:
        async with turns:
            async for page in at.destination.live.client.pages(target, selection):
                for raw in page.items:
                    meta = _decoder.decode(raw).metadata
                    ref = Ref(resource.group, resource.kind, meta.namespace, meta.name)
                    if instance_of(meta, ref, tracking) == instance:
                        return True
    except PlumblineError:  # who may not see them, or cannot now, knows no more than before
        return False
    return False
