"""What servers and checks say about objects that hold secret values is said on without these."""

from typing import Final

import msgspec

from plumbline.base.errors import PlumblineError
from plumbline.base.json import Json, JsonObject
from plumbline.delivery.status import Condition
from plumbline.gate.gate import Gate, Outcome
from plumbline.gate.intents import Act, Intent
from plumbline.kinds.application import OperationState
from plumbline.ownership.values import Claim
from plumbline.render.values import Values

_VEIL: Final = "++++++++"
_OTHER: Final = "++++++++++++"


class DiscreetGate(Gate):
    """A gate that another one stands behind: it never hears a secret in why something could not be done."""

    def __init__(self, gate: Gate, values: Values) -> None:  # no gate of its own
        self._gate = gate
        self._values = values

    def permit(self, claim: Claim) -> None:
        self._gate.permit(claim)

    async def perform(self, intent: Intent, act: Act) -> Outcome:
        return await self._gate.perform(intent, _Discreet(act, self._values))


class _Discreet:
    def __init__(self, act: Act, values: Values) -> None:
        self._act = act
        self._values = values

    async def perform(self) -> bytes:
        try:
            return await self._act.perform()
        except PlumblineError as error:
            raise self._values.discreet(error) from None

    async def rehearse(self) -> bytes:
        try:
            return await self._act.rehearse()
        except PlumblineError as error:
            raise self._values.discreet(error) from None


def discreet_gate(gate: Gate, values: Values | None) -> Gate:
    return DiscreetGate(gate, values) if values is not None and values.secrets else gate


def discreet_state(state: OperationState, values: Values | None) -> OperationState:
    """*state* with messages that can be shown."""
    if values is None or not values.secrets:
        return state
    result = state.sync_result
    if result is not None:
        rows = tuple(msgspec.structs.replace(each, message=values.masked(each.message)) for each in result.resources)
        result = msgspec.structs.replace(result, resources=rows)
    return msgspec.structs.replace(state, message=values.masked(state.message), sync_result=result)


def discreet_conditions(found: tuple[Condition, ...], values: Values | None) -> tuple[Condition, ...]:
    if values is None or not values.secrets:
        return found
    return tuple(each._replace(message=values.masked(each.message)) for each in found)


def veiled(
    desired: JsonObject | None, live: JsonObject | None, values: Values | None
) -> tuple[JsonObject | None, JsonObject | None]:
    """Both, for people to see: fields that hold a secret value become runs of `+`, equal ones equal runs.

    What is live in such a field may be a value from before, which nobody knows any more: it is not shown either.
    """
    if values is None or not values.secrets:
        return desired, live
    if desired is None:
        return None, _veiled(live, live, values)[1]
    return _veiled(desired, live, values)


def _veiled(desired: Json, live: Json, values: Values) -> tuple[Json, Json]:
    if isinstance(desired, dict):
        there = live if isinstance(live, dict) else {}
        pairs = {key: _veiled(value, there.get(key), values) for key, value in desired.items()}
        asked = {key: pair[0] for key, pair in pairs.items()}
        return asked, _within(live, {key: pairs[key][1] for key in there if key in pairs}, values)
    if isinstance(desired, list):
        items = live if isinstance(live, list) else []
        beside = [(each, _beside(each, index, items)) for index, each in enumerate(desired)]
        couples = [(*_veiled(each, items[at] if at >= 0 else None, values), at) for each, at in beside]
        changed = {at: now for _, now, at in couples if at >= 0}
        shown = [changed[at] if at in changed else _veiled(each, each, values)[1] for at, each in enumerate(items)]
        return [asked for asked, _, _ in couples], shown if isinstance(live, list) else live
    text = desired if isinstance(desired, str) else str(desired)
    if isinstance(desired, bool) or desired is None or values.masked(text) == text:
        return desired, live
    return _VEIL, live if live is None else _VEIL if live == desired else _OTHER


def _within(live: Json, changed: JsonObject, values: Values) -> Json:
    """*live* with what *changed*, and the rest of it looked at by itself."""
    if not isinstance(live, dict):
        return live
    return {key: changed[key] if key in changed else _veiled(each, each, values)[1] for key, each in live.items()}


def _beside(item: Json, index: int, items: list[Json]) -> int:
    """Where the live item is that *item* stands for: of its name, else at its place; -1 for none."""
    name = item.get("name") if isinstance(item, dict) else None
    if name is None:
        return index if index < len(items) else -1
    return next((at for at, each in enumerate(items) if isinstance(each, dict) and each.get("name") == name), -1)
