"""The plan of a Terraform object as a person sees it: what changes, what waits and why, who has agreed."""

import re
from typing import Final, NamedTuple

from plumbline.base.errors import Forbidden, InvalidInput, NotFound, PlanStale
from plumbline.base.json import JsonObject
from plumbline.terraform.objects.phases import Standing, standing
from plumbline.terraform.objects.store import CONFIG_MAPS, SECRETS, Terraforms, condition
from plumbline.terraform.pending import Pending, pending_of
from plumbline.terraform.plans import Summary
from plumbline.terraform.plans.digest import SHORTEST_PREFIX
from plumbline.terraform.plans.storage import KEY, PlanPlace, opened, selector
from plumbline.terraform.planstore import SUMMARY_SUFFIX, read_summary

_TOLD: Final = re.compile(r"--plan ([0-9a-f]{64})\b")
_WHOLE: Final = 64


class Shown(NamedTuple):
    obj: JsonObject
    standing: Standing
    pending: Pending | None = None
    """As its Secret says; None where there is none, or where this person may not read it."""
    summary: Summary | None = None
    hidden: bool = False
    """There is a plan, and its Secrets are not for this person: what the status says has to do."""
    approvals: tuple[JsonObject, ...] = ()

    @property
    def digest(self) -> str:
        """Of the plan that waits; empty where none does, or where nobody tells."""
        if self.pending is not None:
            return self.pending.digest
        told = _TOLD.search(str(condition(self.obj, "Ready").get("message") or "")) if self.standing.pending else None
        return told[1] if told else ""

    @property
    def name(self) -> str:
        return str(self.obj["metadata"]["name"])


async def shown(terraforms: Terraforms, name: str) -> Shown:
    obj = await terraforms.get(name)
    found = Shown(obj, standing(obj), approvals=tuple(await terraforms.approvals(name)))
    if not found.standing.pending:
        return found
    place = place_of(obj)
    try:
        stored = await terraforms.labelled(SECRETS, selector(place))
        told = await terraforms.labelled(SECRETS, selector(place, SUMMARY_SUFFIX))
    except Forbidden:
        return found._replace(hidden=True)
    first = min(stored, key=lambda each: str(each["metadata"]["name"]), default=None)
    return found._replace(
        pending=pending_of(first) if first is not None else None,
        summary=read_summary(opened(told)) if told else None,
    )


async def full_text(terraforms: Terraforms, obj: JsonObject) -> str:
    """What the tool printed, masked, where the object keeps that; else empty."""
    try:
        pieces = await terraforms.labelled(CONFIG_MAPS, selector(place_of(obj)))
    except (Forbidden, NotFound):
        return ""
    ordered = sorted(pieces, key=lambda each: (len(each["metadata"]["name"]), each["metadata"]["name"]))
    return "".join(str((each.get("data") or {}).get(KEY) or "") for each in ordered)


def place_of(obj: JsonObject) -> PlanPlace:
    metadata = obj["metadata"]
    workspace = str((obj.get("spec") or {}).get("workspace") or "default")
    return PlanPlace(namespace=metadata["namespace"], name=metadata["name"], uid=metadata["uid"], workspace=workspace)


def meant(found: Shown, named: str) -> str:
    """The whole digest of the plan that is meant: the one that waits, or *named*, if that is the same.

    Raises NotFound where none waits, and PlanStale where another one does.
    """
    if not found.standing.pending:
        raise NotFound(
            f"no plan of {found.name} waits",
            why=found.standing.message,
            hint=f"Ask for one with: plumb tf plan {found.name}.",
        )
    asked = named.removeprefix("sha256:").lower()
    if asked and (len(asked) < SHORTEST_PREFIX or not re.fullmatch(r"[0-9a-f]{1,64}", asked)):
        raise InvalidInput(f"{named!r} is no digest of a plan", why=f"it has {SHORTEST_PREFIX} to {_WHOLE} digits")
    digest = found.digest
    if not digest and len(asked) == _WHOLE:
        return asked
    if not digest:
        raise Forbidden(
            f"the plan of {found.name} cannot be told from others",
            why="you may not read its Secrets, and its status does not name it",
            hint="Name it with --plan and its whole digest.",
        )
    if asked and not digest.startswith(asked):
        raise PlanStale(
            f"the plan of {found.name} is another",
            why=f"{named} was meant, and {digest[:SHORTEST_PREFIX]} waits",
            hint=f"Look at it with: plumb tf show {found.name}.",
        )
    return digest
