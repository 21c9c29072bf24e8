"""Plans in the cluster: the bytes that can be applied, and what they come to, in Secrets beside the object."""

from typing import Final

import msgspec

from plumbline.base.errors import Corrupted, NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.base.plaintext import Plaintext
from plumbline.gate.hands import Behalf
from plumbline.gate.intents import Destruction, Loss
from plumbline.kube.client import Selection, Target, Writing
from plumbline.kube.names import GroupVersionResource, Ref
from plumbline.terraform.around import Around
from plumbline.terraform.looking import Look
from plumbline.terraform.pending import Pending, genuine, pending_of, sealed
from plumbline.terraform.plans import PlanDigest, Summary, human
from plumbline.terraform.plans.storage import (
    JSON_SUFFIX,
    PlanPlace,
    legacy_name,
    marks,
    opened,
    plan_config_maps,
    plan_secrets,
    selector,
)
from plumbline.terraform.work import Planned

SUMMARY_SUFFIX: Final = ".summary"
_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_WRITING: Final = Writing(field_manager="tf-controller", force=True)


class PlanStore:
    def __init__(self, around: Around) -> None:
        self._around = around

    async def pending(self, run: Look) -> Pending | None:
        """The plan that waits; None where there is none, or none that was made here, and is as it was made."""
        stored = await self._stored(run, "")
        first = min(stored, key=lambda each: str(each["metadata"]["name"]), default=None)
        if first is None or not genuine(first, run.object["metadata"]["uid"], self._around.terms.key):
            return None
        return pending_of(first)

    async def plan(self, run: Look, pending: Pending) -> Plaintext:
        """The very bytes that were planned. Raises NotFound, Corrupted."""
        return opened(await self._stored(run, ""), pending.id)

    async def summary(self, run: Look) -> Summary | None:
        stored = await self._stored(run, SUMMARY_SUFFIX)
        return read_summary(opened(stored)) if stored else None

    async def save(self, run: Look, planned: Planned, pending: Pending, file: str, summary: Summary) -> None:
        """What it comes to first, and the plan last: a plan that is there is there as a whole."""
        place = place_of(run)
        marked = marks(
            pending.id,
            PlanDigest(pending.digest, file),
            serial=pending.serial,
            lineage=pending.lineage,
            revision=pending.revision,
        )
        told = plan_secrets(place, Plaintext(msgspec.json.encode(summary)), marked, suffix=SUMMARY_SUFFIX)
        if run.spec.store_readable_plan == "json":
            told += plan_secrets(place, planned.json, marked, suffix=JSON_SUFFIX)
        shown = plan_config_maps(place, human(planned.text, planned.json), marked) if _for_people(run) else []
        kept = plan_secrets(place, planned.plan, marked, extra=sealed(pending, place.uid, self._around.terms.key))
        names = {str(each["metadata"]["name"]) for each in (*told, *kept)}
        for each in (*told, *shown, *kept):
            await self._apply(run, each)
        for suffix in ("", SUMMARY_SUFFIX, JSON_SUFFIX):
            await self._remove(run, [each for each in await self._stored(run, suffix) if _name(each) not in names])

    async def drop(self, run: Look) -> None:
        """No plan waits: nothing that was planned is left to be applied."""
        for suffix in ("", SUMMARY_SUFFIX, JSON_SUFFIX):
            await self._remove(run, await self._stored(run, suffix))

    async def _stored(self, run: Look, suffix: str) -> list[JsonObject]:
        place = place_of(run)
        labels = ",".join(f"{key}={value}" for key, value in selector(place, suffix).items())
        page = await self._around.client.list(Target(_SECRETS, place.namespace), Selection(labels=labels))
        found = [decode(bytes(each)) for each in page.items]
        return found or await self._legacy(place, suffix)

    async def _legacy(self, place: PlanPlace, suffix: str) -> list[JsonObject]:
        try:
            return [
                decode(await self._around.client.get(Target(_SECRETS, place.namespace, legacy_name(place, suffix))))
            ]
        except NotFound:
            return []

    async def _apply(self, run: Look, body: JsonObject) -> None:
        ref = Ref.of(body)
        target = Target(_SECRETS if ref.kind == "Secret" else _CONFIG_MAPS, ref.namespace, ref.name)
        behalf = Behalf.of("terraform", run.object)
        await self._around.hands.apply(target, body, _WRITING, behalf, "Keep a plan")

    async def _remove(self, run: Look, secrets: list[JsonObject]) -> None:
        for each in secrets:
            ref = Ref.of(each)
            losses = Destruction("deletion", (Loss(str(ref)),), requested=True)
            target = Target(_SECRETS, ref.namespace, ref.name)
            behalf = Behalf.of("terraform", run.object)
            try:
                await self._around.hands.delete(target, each, behalf, losses, "Background")
            except NotFound:
                continue


def place_of(run: Look) -> PlanPlace:
    metadata = run.object["metadata"]
    return PlanPlace(
        namespace=metadata["namespace"],
        name=metadata["name"],
        uid=metadata["uid"],
        workspace=run.spec.workspace or "default",
    )


def read_summary(content: Plaintext) -> Summary:
    try:
        return msgspec.json.decode(content.reveal(), type=Summary)
    except msgspec.DecodeError:
        raise Corrupted("What the plan comes to cannot be read", hint="Ask for a new plan.") from None


def _for_people(run: Look) -> bool:
    return run.spec.store_readable_plan == "human"


def _name(secret: JsonObject) -> str:
    return str(secret["metadata"]["name"])
