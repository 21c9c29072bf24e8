"""Which events are worth writing: of many alike a few, then one that stands for the rest; and never a flood.

The limits are those of the recorders in upstream's controllers, so that a set of a thousand pods leaves as many events
here as there. What is remembered is lost with the process, as it is there.
"""

from typing import Final, Generic, NamedTuple, TypeVar

ALIKE: Final = 10
"""So many messages for one reason are told apart; from this one on they are combined."""
ALIKE_S: Final = 600.0
BURST: Final = 25
REFILL_S: Final = 300.0
"""One more event about the same object from the same source in this time, once the burst is used up."""
_REMEMBERED: Final = 4096

V = TypeVar("V")


class Told(NamedTuple):
    identity: str
    """The same for events that count up one another."""
    message: str


class _Similar(NamedTuple):
    messages: frozenset[str]
    last_s: float


class _Tokens(NamedTuple):
    left: float
    at_s: float


class Correlator:
    def __init__(self) -> None:
        self._similar: _Recent[_Similar] = _Recent()
        self._tokens: _Recent[_Tokens] = _Recent()

    def correlated(self, about: str, reason: str, message: str, now_s: float) -> Told | None:
        """How to tell *message* for *reason* *about* something; None where enough has been told."""
        told = self._combined(f"{about}/{reason}", message, now_s)
        return told if self._may_tell(about, now_s) else None

    def _combined(self, key: str, message: str, now_s: float) -> Told:
        before = self._similar.get(key)
        fresh = before is None or now_s - before.last_s > ALIKE_S
        messages = frozenset({message}) if before is None or fresh else before.messages | {message}
        many = len(messages) >= ALIKE
        if many and before is not None:
            messages = before.messages  # one that was combined does not make the next one more alike
        self._similar.put(key, _Similar(messages, now_s))
        if many:
            return Told(key, f"(combined from similar events): {message}")
        return Told(f"{key}/{message}", message)

    def _may_tell(self, about: str, now_s: float) -> bool:
        before = self._tokens.get(about) or _Tokens(BURST, now_s)
        left = min(before.left + (now_s - before.at_s) / REFILL_S, BURST)
        self._tokens.put(about, _Tokens(left - 1 if left >= 1 else left, now_s))
        return left >= 1


class _Recent(Generic[V]):
    """What was put last, up to a number; the rest is forgotten."""

    def __init__(self) -> None:
        self._values: dict[str, V] = {}

    def get(self, key: str) -> V | None:
        return self._values.get(key)

    def put(self, key: str, value: V) -> None:
        self._values.pop(key, None)
        self._values[key] = value
        if len(self._values) > _REMEMBERED:
            del self._values[next(iter(self._values))]
