"""Who holds the lock on the state of a Terraform object, and the copies of it."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from plumbline.base.clock import SystemClock
from plumbline.base.errors import NotFound
from plumbline.base.ids import Ids
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.journal import opening, sqlite
from plumbline.journal.parties import Actor
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.names import Ref
from plumbline.ownership.ledger import Ledger
from plumbline.terraform.objects.saying import who
from plumbline.terraform.objects.states import place_of
from plumbline.terraform.objects.store import Terraforms
from plumbline.terraform.state import Copies, Locks, Place, Restorer, RunInfo
from plumbline.terraform.state.copies import Version
from plumbline.terraform.state.holders import Holder
from plumbline.terraform.state.restoring import Restored
from plumbline.terraform.state.writing import Writer

_ENFORCE: Final = MandateSpec(mode="Enforce")
_LATEST: Final = "latest"


@asynccontextmanager
async def writing(terraforms: Terraforms, journal: Path | None) -> AsyncIterator[tuple[Writer, Locks]]:
    """The hands of whoever the kubeconfig names; recorded in *journal*, where there is one."""
    clock, ids = SystemClock(), Ids()
    opened = (
        sqlite.in_memory(clock=clock, ids=ids)
        if journal is None
        else opening.opened(journal, clock=clock, ids=ids, writer=f"{os.getpid()}")
    )
    async with opened as kept:
        person = await who(terraforms.client)
        gate = Gate(Powers(lambda: _ENFORCE, Ledger(), lambda: None), Live(kept), clock)
        writer = Writer(gate, terraforms.client, Actor("person", person.name or "unknown"))
        yield writer, Locks(terraforms.client, writer, clock, host=person.name or "unknown")


async def holder_of(terraforms: Terraforms, name: str) -> Holder | None:
    """Who holds the lock; None where nobody does."""
    place = await place_of(terraforms, await terraforms.get(name))
    async with writing(terraforms, None) as (_, locks):
        return await locks.holder(place)


async def unlock(terraforms: Terraforms, name: str, lock: str) -> Holder | None:
    """Who held it under exactly that id. Raises InvalidInput where it is held under another."""
    obj = await terraforms.get(name)
    place = await place_of(terraforms, obj)
    async with writing(terraforms, None) as (_, locks):
        return await locks.force(place, lock, Ref.of(obj))


def copies_at(data: Path) -> Copies:
    """Raises NotFound where nobody has kept any there."""
    folder = data / "state-copies"
    if not folder.is_dir():
        raise NotFound(
            f"there are no copies in {folder}", hint="Name the folder of `plumb up` or `plumb run` with --data."
        )
    return Copies.at(folder, data / "state-copies.key", SystemClock())


async def versions(terraforms: Terraforms, name: str, data: Path) -> tuple[Version, ...]:
    return await copies_at(data).list(await place_of(terraforms, await terraforms.get(name)))


async def restore(terraforms: Terraforms, name: str, wanted: str, data: Path, *, over: bool) -> Restored:
    """Make the state what that version was."""
    obj = await terraforms.get(name)
    place, copies = await place_of(terraforms, obj), copies_at(data)
    version = chosen(await copies.list(place), wanted, place)
    async with writing(terraforms, data / "journal.db") as (writer, locks):
        said = f"{name} gets back the state of serial {version.serial}"
        run = RunInfo(Ids().uid(), "restore", said, Ref.of(obj))
        return await Restorer(terraforms.client, writer, locks, copies).restore(place, version, run, over=over)


def chosen(known: tuple[Version, ...], wanted: str, place: Place) -> Version:
    """By its serial, which means the latest copy of that serial; by the name of its file; or the latest of all."""
    for each in known:
        if wanted in (_LATEST, str(each.serial), each.name):
            return each
    raise NotFound(
        f"there is no copy {wanted} of {place}",
        why=f"{len(known)} copies are there" if known else "none was made",
        hint="See which there are with `plumb tf state NAME versions`.",
    )
