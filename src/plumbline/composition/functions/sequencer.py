"""function-sequencer: holds composed resources back until those before them in a sequence are ready.

Sequences on conditions (CEL) are refused, since guessing would create what should wait; Usages that put deletions in an
order are not made, and who asks for them is told.
"""

import msgspec

from plumbline.base.errors import BadExpression, InvalidInput
from plumbline.base.regex import Regex, compiled
from plumbline.composition.functions.answers import TTL_S, answer_to, read_input, refusing, seconds
from plumbline.composition.functions.values import Answer, Call, Resource, Result, State
from plumbline.kube.gotext import quoted

_NO_USAGES = "enableDeletionSequencing is not supported here: deletions are not put in an order"


class _Rule(msgspec.Struct, frozen=True, rename="camel"):
    sequence: tuple[str, ...] = ()
    condition: str = ""
    delete_only: bool = False


class _Input(msgspec.Struct, frozen=True):
    rules: tuple[_Rule, ...] = ()
    cache_ttl: str = msgspec.field(default="", name="cacheTTL")
    enable_deletion_sequencing: bool = msgspec.field(default=False, name="enableDeletionSequencing")
    reset_composite_readiness: bool = msgspec.field(default=False, name="resetCompositeReadiness")


class Sequencer:
    async def run(self, call: Call) -> Answer:
        try:
            return _answer(call)
        except InvalidInput as fault:
            return refusing(call, str(fault))


def _answer(call: Call) -> Answer:
    given = read_input(call, _Input)
    held = _Held(call)
    for rule in given.rules:
        if rule.condition:
            why = "conditions of sequences are not supported here"
            raise InvalidInput(f"cannot evaluate condition {quoted(rule.condition)}", why=why)
        if not rule.delete_only:
            held.apply(rule.sequence)
    composite = call.desired.composite
    if given.reset_composite_readiness and len(held.resources) < len(call.desired.resources):
        composite = Resource(composite.resource, composite.connection, "False")
    warned = (Result("Warning", _NO_USAGES),) if given.enable_deletion_sequencing else ()
    return msgspec.structs.replace(
        answer_to(call),
        desired=State(composite, held.resources),
        results=(*held.told, *warned),
        ttl_s=seconds(given.cache_ttl) if given.cache_ttl else TTL_S,
    )


class _Held:
    """What is still desired once sequences have been applied, and why the rest is not."""

    def __init__(self, call: Call) -> None:
        self._observed = call.observed.resources
        self.resources = dict(call.desired.resources)
        self.told: list[Result] = []

    def apply(self, sequence: tuple[str, ...]) -> None:
        for at, name in enumerate(sequence):
            if name in self._observed:
                # Only what is not there yet is held back; taking away what is there would delete it.
                continue
            for before in sequence[:at]:
                missing = self._missing(before)
                if missing:
                    self.told.append(
                        Result("Normal", f"Delaying creation of resource(s) matching {quoted(name)} because {missing}")
                    )
                    self._drop(name)
                    break

    def _missing(self, before: str) -> str:
        """What *before* lacks; empty if all of it is ready."""
        matching = _strict(before)
        found = [each.ready for name, each in self.resources.items() if matching.matches(name)]
        ready = found.count("True")
        if not found:
            return f"{quoted(before)} does not exist yet"
        return f"{quoted(before)} is not fully ready ({ready} of {len(found)})" if ready < len(found) else ""

    def _drop(self, pattern: str) -> None:
        matching = _strict(pattern)
        for name in [each for each in self.resources if each not in self._observed and matching.matches(each)]:
            del self.resources[name]


def _strict(pattern: str) -> Regex:
    """The whole name must match, unless the author says where the pattern begins or ends."""
    try:
        return compiled(pattern if pattern.startswith("^") or pattern.endswith("$") else f"^{pattern}$")
    except BadExpression as fault:
        raise InvalidInput(f"cannot compile regex {pattern}", why=str(fault)) from fault
