"""The state of a Terraform object: what is in it, who holds its lock, its copies, and its outputs."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from plumbline.base.clock import SystemClock
from plumbline.base.errors import BadDocument, InvalidInput, NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.cli.terraform.objects.approving import who
from plumbline.cli.terraform.objects.store import CONFIG_MAPS, SECRETS, Terraforms, typed
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.journal import opening, sqlite
from plumbline.journal.parties import Actor
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Target
from plumbline.kube.names import Ref
from plumbline.ownership.ledger import Ledger
from plumbline.terraform.inputs import Reach, entries_of
from plumbline.terraform.inputs.backend import backend
from plumbline.terraform.state import Copies, Locks, Place, Restorer, RunInfo, State, read
from plumbline.terraform.state.copies import Version
from plumbline.terraform.state.holders import Holder
from plumbline.terraform.state.restoring import Restored
from plumbline.terraform.state.writing import Writer

_ENFORCE: Final = MandateSpec(mode="Enforce")
_LATEST: Final = "latest"


class Output(NamedTuple):
    value: Plaintext
    """JSON."""
    sensitive: bool


class _Written(msgspec.Struct):
    value: msgspec.Raw = msgspec.Raw(b"null")
    sensitive: bool = False


class _Outputs(msgspec.Struct):
    outputs: dict[str, _Written] = {}


async def place_of(terraforms: Terraforms, obj: JsonObject) -> Place:
    """Where its state is. Raises InvalidInput where that is not in Secrets of the cluster."""
    subject = typed(obj)
    kept = backend(subject.ref, subject.spec, Reach()).kept
    if kept is None:
        raise InvalidInput(
            f"the state of {subject.ref.name} is not in this cluster",
            why="its backend is another",
            hint="Use that backend's own tools.",
        )
    said = {"namespace": kept.namespace, "secret_suffix": kept.suffix}
    for each in subject.spec.backend_configs_from:
        resource = SECRETS if each.kind == "Secret" else CONFIG_MAPS
        try:
            found = decode(await terraforms.client.get(Target(resource, subject.ref.namespace, each.name)))
        except NotFound:
            continue
        named = {key: value for key, value in entries_of(found, each.kind).items() if not each.keys or key in each.keys}
        said |= {key: named[key].reveal().decode() for key in said if key in named}
    return Place(said["namespace"], subject.spec.workspace or "default", said["secret_suffix"])


async def state_of(terraforms: Terraforms, name: str, offer: Copies | None = None) -> State:
    place = await place_of(terraforms, await terraforms.get(name))
    found = await (read(terraforms.client, place, offer.offer) if offer else read(terraforms.client, place))
    if found is None:
        raise NotFound(f"there is no state {place}", hint=f"Nothing was applied yet; plan with: plumb tf plan {name}.")
    return found


async def outputs_of(terraforms: Terraforms, name: str) -> dict[str, Output]:
    """From the state; where that is elsewhere, from the Secret that they are written to, all of them taken for sensitive."""
    obj = await terraforms.get(name)
    subject = typed(obj)
    try:
        place = await place_of(terraforms, obj)
    except InvalidInput:
        wanted = subject.spec.write_outputs_to_secret
        if wanted is None:
            raise
        secret = decode(await terraforms.client.get(Target(SECRETS, subject.ref.namespace, wanted.name)))
        entries = entries_of(secret, "Secret").items()
        return {key: Output(Plaintext(encode(value.reveal().decode())), sensitive=True) for key, value in entries}
    state = await read(terraforms.client, place)
    return {} if state is None else outputs_in(state.text)


def outputs_in(text: Plaintext) -> dict[str, Output]:
    try:
        written = msgspec.json.decode(text.reveal(), type=_Outputs)
    except msgspec.DecodeError:
        raise BadDocument("The outputs cannot be read", why="the state has another form") from None
    return {
        name: Output(Plaintext(bytes(each.value)), each.sensitive) for name, each in sorted(written.outputs.items())
    }


def value_of(output: Output) -> Json:
    return decode(output.value.reveal())


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
