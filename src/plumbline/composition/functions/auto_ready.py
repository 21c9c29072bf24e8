"""function-auto-ready: says of composed resources that are there whether they are ready, unless somebody said so before.

Rules in CEL (`celHealthCheckCustomization`), which are behind a gate that is off by default, are not evaluated; who writes
some is told.
"""

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.composition.functions.answers import answer_to, read_input, refusing, seconds
from plumbline.composition.functions.readiness import ready
from plumbline.composition.functions.values import Answer, Call, Resource, Result, State

_NO_CEL = "celHealthCheckCustomization is not evaluated here: readiness follows from each kind's own rules"


class _Input(msgspec.Struct, frozen=True, rename="camel"):
    ttl: str = ""
    cel_health_check_customization: dict[str, str] | None = None
    cel_health_check_customization_from: str | None = None


class AutoReady:
    async def run(self, call: Call) -> Answer:
        try:
            wanted = read_input(call, _Input)
            ttl_s = seconds(wanted.ttl) if wanted.ttl else None
        except InvalidInput as fault:
            return refusing(call, f"invalid input: {fault}")
        answer = answer_to(call)
        custom = wanted.cel_health_check_customization or wanted.cel_health_check_customization_from
        return msgspec.structs.replace(
            answer,
            desired=State(call.desired.composite, {name: _judged(name, call) for name in call.desired.resources}),
            results=(Result("Warning", _NO_CEL),) if custom else (),
            ttl_s=answer.ttl_s if ttl_s is None else ttl_s,
        )


def _judged(name: str, call: Call) -> Resource:
    desired, observed = call.desired.resources[name], call.observed.resources.get(name)
    if observed is None or desired.ready != "Unspecified" or not ready(observed.resource):
        return desired
    return Resource(desired.resource, desired.connection, "True")
