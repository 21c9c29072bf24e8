"""Things that go wrong because somebody asked for it: errors, lost answers, lost requests, delays."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec

from plumbline.providers.sandbox.calls import Call, Refusal

Effect = Literal["error", "throttle", "lost-reply", "lost-request", "delay"]

_MOST: Final = 1000


class Fault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    effect: Effect
    """`lost-reply`: it is done, and the connection breaks; `lost-request`: the connection breaks, and nothing is done."""
    service: str = ""
    """Empty: all of them."""
    operation: str = ""
    params: Mapping[str, Any] = {}
    """Only calls with these."""
    code: str = "InternalFailure"
    message: str = "The request processing has failed because of an unknown error, exception or failure."
    status: Annotated[int, msgspec.Meta(ge=400, le=599)] = 500
    delay_s: Annotated[float, msgspec.Meta(ge=0, le=600)] = 0.0
    after: Annotated[int, msgspec.Meta(ge=0)] = 0
    """How many calls it lets pass first."""
    times: Annotated[int, msgspec.Meta(ge=1)] | None = 1
    """None: until it is taken back."""


class Faults:
    def __init__(self) -> None:
        self._active: list[list[Any]] = []

    def set(self, faults: list[Fault]) -> None:
        self._active = [[fault, fault.after, fault.times] for fault in faults[:_MOST]]

    def add(self, faults: list[Fault]) -> None:
        self._active = (self._active + [[fault, fault.after, fault.times] for fault in faults])[:_MOST]

    def listed(self) -> list[Fault]:
        """As they stand: with what is left of their counts."""
        return [msgspec.structs.replace(fault, after=after, times=times) for fault, after, times in self._active]

    def met(self, call: Call) -> Fault | None:
        """The first that this call meets; it is one fewer then."""
        for entry in self._active:
            fault, after, times = entry
            if not _concerns(fault, call):
                continue
            if after:
                entry[1] = after - 1
                continue
            if times is not None:
                entry[2] = times - 1
                self._active = [each for each in self._active if each[2] != 0]
            return fault
        return None


def _concerns(fault: Fault, call: Call) -> bool:
    if fault.service not in {"", call.service} or fault.operation not in {"", call.operation}:
        return False
    return all(call[name] == value for name, value in fault.params.items())


def refusal(fault: Fault) -> Refusal:
    return Refusal(fault.code, fault.message, fault.status)
