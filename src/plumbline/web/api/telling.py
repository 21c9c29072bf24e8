"""What people did, told as events in the words of Argo CD: whoever describes an object sees who changed it."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.clock import Clock
from plumbline.base.json import JsonObject
from plumbline.delivery.eventlabels import Labels
from plumbline.gate.gate import Gate
from plumbline.gate.records import GatedRecords
from plumbline.journal.parties import printable
from plumbline.kernel.reconciler import Event
from plumbline.kernel.records import Records
from plumbline.kernel.telling import Teller
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Client

CREATED: Final = "ResourceCreated"
UPDATED: Final = "ResourceUpdated"
DELETED: Final = "ResourceDeleted"
STARTED: Final = "OperationStarted"
RAN: Final = "ResourceActionRan"
_COMPONENT: Final = "argocd-server"
_LONGEST: Final = 1000
"""Somebody else's words are in them: revisions, names of actions."""


class Deed(NamedTuple):
    """Why there is an event, and what it says after the name of whoever did it."""

    reason: str
    said: str


Labelling: TypeAlias = Callable[[Mapping[str, str], str], Labels]
"""From the labels of an Application and the name of its project to those of its events."""


def _bare(_: Mapping[str, str], __: str) -> Labels:
    return ()


class Herald:
    """Tells what has been done already. Nobody waits for that, and where it fails the log says so and nobody else."""

    def __init__(self, gate: Gate, client: Client, clock: Clock, labels: Labelling = _bare) -> None:
        self._gate, self._clock, self._labels = gate, clock, labels
        self._teller = Teller(self._records(client, "in-cluster"), clock, busy=lambda: False)

    async def run(self) -> None:
        await self._teller.run()

    def tell(self, name: str, deed: Deed, about: JsonObject, project: str = "") -> None:
        """*about* is the object, or as much of it as tells which it is; an Application has the labels of its *project*."""
        labels: Labels = ()
        if about["kind"] == APPLICATION.kind:
            labels = self._labels(about["metadata"].get("labels") or {}, project)
        self._teller.tell(about, _event(name, deed, labels))

    def tell_beyond(self, name: str, deed: Deed, about: JsonObject, client: Client, cluster: str) -> None:
        """Beside an object in *cluster*, which may be another: an event is told in the namespace that it is about."""
        self._teller.tell(about, _event(name, deed), self._records(client, cluster))

    def _records(self, client: Client, cluster: str) -> Records:
        return GatedRecords(self._gate, client, self._clock, _COMPONENT, cluster=cluster)


def _event(name: str, deed: Deed, labels: Labels = ()) -> Event:
    return Event(deed.reason, printable(f"{printable(name)} {deed.said}", _LONGEST), recurs=True, labels=labels)
