"""How far applications have come, from what a watch says about them."""

import asyncio
import math
import time
from contextlib import aclosing

import msgspec

from plumbline.kube.client import Interrupted, Synced, Target
from plumbline.kube.names import GroupVersionResource

APPLICATIONS = GroupVersionResource("argoproj.io", "v1alpha1", "applications")


class Comparison(msgspec.Struct, frozen=True):
    status: str = ""
    revision: str = ""


class Health(msgspec.Struct, frozen=True):
    status: str = ""


class Operation(msgspec.Struct, frozen=True):
    phase: str = ""
    message: str = ""


class Condition(msgspec.Struct, frozen=True):
    type: str = ""
    message: str = ""


class Status(msgspec.Struct, frozen=True, rename="camel"):
    """What is looked at; the rest of a status, which is most of it, is skipped over."""

    sync: Comparison = Comparison()
    health: Health = Health()
    operation_state: Operation = Operation()
    resources: list[msgspec.Raw] = []
    history: list[msgspec.Raw] = []
    conditions: list[Condition] = []

    def __str__(self):
        said = [f"{each.type}: {each.message}" for each in self.conditions]
        operation = f"operation {self.operation_state.phase or 'none'} {self.operation_state.message}".strip()
        return "; ".join([f"{self.sync.status or 'no status'}, {self.health.status}", operation, *said])


class _Application(msgspec.Struct, frozen=True):
    status: Status = Status()


_application = msgspec.json.Decoder(_Application)


def status_of(raw):
    return _application.decode(raw).status


class Goal:
    """So many applications Synced at a revision, and the time at which the last of them got there.

    *objects* asks for more: Healthy, that many resources, an operation that succeeded, and a history.
    """

    def __init__(self, revision, count, objects=0):
        self._revision = revision
        self._count = count
        self._objects = objects
        self._there = set()
        self._delivered = set()
        self.delivered_at_s = None
        """When all was delivered and compared, however it fares: the rest is other controllers' work."""
        self.first_at_s = None
        self.half_at_s = None
        self.done_at_s = None

    @property
    def reached(self):
        return len(self._there)

    def met_by(self, status):
        return self.delivered_by(status) and (not self._objects or status.health.status == "Healthy")

    def delivered_by(self, status):
        if (status.sync.status, status.sync.revision) != ("Synced", self._revision):
            return False
        return not self._objects or (
            len(status.resources) == self._objects
            and status.operation_state.phase == "Succeeded"
            and bool(status.history)
        )

    def saw(self, name, status, at_s):
        """An application that leaves again counts no more, until all are there together."""
        if self.delivered_by(status):
            self._delivered.add(name)
            if self.delivered_at_s is None and len(self._delivered) >= self._count:
                self.delivered_at_s = at_s
        if not self.met_by(status):
            self._there.discard(name)
            return
        self._there.add(name)
        if self.first_at_s is None:
            self.first_at_s = at_s
        if self.half_at_s is None and self.reached >= math.ceil(self._count / 2):
            self.half_at_s = at_s
        if self.done_at_s is None and self.reached >= self._count:
            self.done_at_s = at_s


class Applications:
    """The latest status of every application, and the goal that is worked towards. `follow` keeps it up to date."""

    def __init__(self):
        self._statuses = {}
        self._goal = Goal("", 0)
        self._delivered = asyncio.Event()
        self._done = asyncio.Event()
        self.synced = asyncio.Event()
        self.events = 0

    def aim(self, goal):
        self._goal = goal
        self._delivered.clear()
        self._done.clear()
        for name, status in self._statuses.items():
            goal.saw(name, status, time.perf_counter())
        self._check()
        return goal

    def saw(self, name, status, at_s):
        self.events += 1
        self._statuses[name] = status
        self._goal.saw(name, status, at_s)
        self._check()

    async def delivered(self):
        await self._delivered.wait()

    async def reached(self):
        await self._done.wait()

    def behind(self, most=3):
        """Some of those that have not reached the goal, with what they say about themselves."""
        late = [(name, str(status)) for name, status in self._statuses.items() if not self._goal.met_by(status)]
        return dict(sorted(late)[:most])

    async def follow(self, client, namespace):
        async with aclosing(client.follow(Target(APPLICATIONS, namespace))) as events:
            async for event in events:
                at_s = time.perf_counter()
                if isinstance(event, Synced):
                    self.synced.set()
                elif not isinstance(event, Interrupted) and event.type in {"ADDED", "MODIFIED"}:
                    self.saw(event.name, status_of(event.raw), at_s)

    def _check(self):
        if self._goal.delivered_at_s is not None:
            self._delivered.set()
        if self._goal.done_at_s is not None:
            self._done.set()
