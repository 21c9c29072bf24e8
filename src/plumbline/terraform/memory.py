"""What is remembered on the object itself, in annotations: it outlives us, and anybody can read it."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from plumbline.base.json import JsonObject, encode
from plumbline.gate.hands import Behalf
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kube.client import Target, Writing
from plumbline.terraform.around import Around
from plumbline.terraform.looking import Look
from plumbline.terraform.plans import Danger
from plumbline.terraform.state import Suspect

GUARDED: Final = "plumbline.dev/guarded"
"""Blocks that had `prevent_destroy` when the object was last applied."""
SUSPECTS: Final = "plumbline.dev/may-be-left-behind"
"""Resources that a run may have made or destroyed without the state knowing; gone once a plan was applied after that."""
_WRITING: Final = Writing(field_manager="tf-controller")
_MOST: Final = 200
_names: Final = msgspec.json.Decoder(list[str])


async def remember(run: Look, around: Around, said: Mapping[str, Iterable[str]]) -> None:
    """Write what is other than before, and forget what is empty."""
    before = run.object["metadata"].get("annotations") or {}
    wanted = {name: encode(sorted(set(each))[:_MOST]).decode() if each else None for name, each in said.items()}
    changed = {name: each for name, each in wanted.items() if before.get(name) != each}
    if not changed:
        return
    metadata = run.object["metadata"]
    target = Target(TERRAFORM.resource, metadata["namespace"], metadata["name"])
    change: JsonObject = {"metadata": {"annotations": changed}}
    reply = await around.hands.patch(target, run.object, change, _WRITING, Behalf.of("terraform", run.object))
    if reply is not None:
        run.wrote(reply)


def guards_before(run: Look) -> frozenset[str]:
    return frozenset(_remembered(run, GUARDED))


def suspected(run: Look) -> tuple[Danger, ...]:
    """Why nothing is applied unasked after a run that died: what it made may be made a second time."""
    return tuple(
        Danger(
            kind="unknown",
            consent="destroy",
            severity="high",
            address=address,
            sentence=f"{address} may be left from a run that died; look for it, and import or remove it first",
        )
        for address in _remembered(run, SUSPECTS)
    )


def addresses(suspects: Iterable[Suspect]) -> list[str]:
    return [each.address for each in suspects]


def _remembered(run: Look, name: str) -> list[str]:
    said = (run.object["metadata"].get("annotations") or {}).get(name)
    try:
        return _names.decode(said) if said else []
    except msgspec.DecodeError:
        return []
