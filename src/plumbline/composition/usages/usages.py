"""Usages, put together: a controller for each of their kinds, and the answer to whoever wants to delete what is used."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from plumbline.base.errors import Conflict, PlumblineError, Transient
from plumbline.base.json import Json, JsonObject
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.composition import marks
from plumbline.composition.usages.configuration import unenforced
from plumbline.composition.usages.reconciler import Around, UsageReconciler
from plumbline.composition.usages.register import Register
from plumbline.composition.usages.validating import Admissions, nothing_known
from plumbline.composition.usages.values import KINDS, Usage
from plumbline.gate.gate import Gate
from plumbline.gate.hands import Hands
from plumbline.gate.webhooks import Reached
from plumbline.kernel.cache import Cache, Relevance
from plumbline.kernel.collections import Collections
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.kinds import Kinds
from plumbline.kernel.queue import Priority
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kinds.kind import Kind
from plumbline.kube.client import Client
from plumbline.kube.names import GroupKind, Ref

_WORKERS: Final = 2
_LOOK_S: Final = 60.0
"""How often the configuration of the API server is looked at: somebody may have removed it."""
_AGAIN_S: Final = 5.0

log = logger(__name__)


class Parts(NamedTuple):
    """What usages are given."""

    client: Client
    world: World
    gate: Gate
    records: Callable[[str], Records]
    """The door through which objects are written about, under a field manager's name."""
    collections: Collections
    """Kept running by whoever made them."""
    admissions: Admissions
    """They answer with or without us, and faster with us."""
    reached: Reached | None = None
    """How the API server gets to where they answer; None leaves its configuration alone."""


class Usages:
    """`run` looks after usages while this process is the one to do that."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._hands = Hands(parts.gate, parts.client, marks.ACTOR)
        self._kinds = Kinds(parts.client)
        self._register = Register()
        self._informers: dict[GroupKind, Informer] = {}
        self._controllers: dict[GroupKind, Controller] = {}
        self._unenforced = ""
        self.reached = parts.reached

    async def run(self) -> None:
        try:
            async with task_group() as group:
                after_s = await self._configure()
                while True:
                    after_s = min(after_s, await self._followed(group))
                    await self._parts.world.clock.sleep(after_s)
                    after_s = await self._configure()
        finally:
            self._parts.admissions.known = nothing_known

    async def validate(self, review: Json) -> JsonObject:
        """The answer to an AdmissionReview of version v1. Raises InvalidInput for what is none."""
        return await self._parts.admissions.validate(review)

    async def _followed(self, group: asyncio.TaskGroup) -> float:
        """Answer from our copies once they are there; returns when to look again."""
        try:
            await self._follow(group)
        except PlumblineError as error:
            log.warning("usages not followed", code=error.code, error=str(error))
            return _AGAIN_S
        self._parts.admissions.known = self._known
        return _LOOK_S

    async def _follow(self, group: asyncio.TaskGroup) -> None:
        """Look after every kind of usage that the cluster serves: an older one has one of the three, and more may come."""
        begun: list[tuple[Kind[Any, Any], Informer]] = []
        for kind in KINDS:
            if kind.group_kind not in self._informers and await self._kinds.resource(kind.gvk) is not None:
                informer, _ = await self._parts.collections.follow(kind.resource, cache=Cache(Relevance(status=False)))
                begun.append((kind, informer))
        for kind, informer in begun:
            if not await informer.readable():
                self._kinds.forget()
                raise Transient(f"{kind.crd_name} is not served just now")
        for kind, informer in begun:  # all of them or none: whoever does not know all usages must let nothing go
            self._register.follow(kind, informer)
            self._informers[kind.group_kind] = informer
        for kind, informer in begun:
            group.create_task(self._controller(kind, informer).run(_WORKERS))

    def _controller(self, kind: Kind[Any, Any], informer: Informer) -> Controller:
        parts = self._parts
        around = Around(
            client=parts.client,
            hands=self._hands,
            clock=parts.world.clock,
            register=self._register,
            wake=self._wake,
            unenforced=lambda: self._unenforced,
        )
        made = Controller(UsageReconciler(kind, around), informer, parts.records("crossplane"), parts.world)
        made.wake_all()  # what came before the controller did
        self._controllers[kind.group_kind] = made
        return made

    def _wake(self, usage: Usage) -> None:
        ref = usage.ref
        self._controllers[GroupKind(ref.group, ref.kind)].wake((ref.namespace, ref.name), Priority.DRIFT)

    def _known(self, used: Ref) -> list[Usage] | None:
        """From our copies, while they are complete."""
        if any(informer.interrupted is not None for informer in self._informers.values()):
            return None
        return self._register.of(used)

    async def _configure(self) -> float:
        """Have the API server ask us; returns when to look again."""
        before, after_s = self._unenforced, _LOOK_S
        try:
            self._unenforced = await unenforced(self._parts.client, self._hands, self.reached)
        except Conflict:
            return _AGAIN_S
        except PlumblineError as error:
            log.warning("webhook not configured", code=error.code, error=str(error))
            self._unenforced = f"The API server could not be told to ask here: {error}"
            after_s = _AGAIN_S
        if self._unenforced != before:
            log.info("usages not enforced" if self._unenforced else "usages enforced", why=self._unenforced)
            for controller in self._controllers.values():
                controller.wake_all()
        return after_s
