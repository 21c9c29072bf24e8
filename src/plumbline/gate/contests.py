"""A fight over a field, noticed before it becomes a loop.

Drift is healed at once, and usually that is the end of it. Where the same fields of an object are taken back from the same
manager again and again within a minute, somebody else means it: healing then waits, twice as long each time, and says who.
"""

from typing import Final, NamedTuple

from plumbline.base.errors import Contested, FieldClaim

WINDOW_S: Final = 60.0
ROUNDS: Final = 3
FIRST_PAUSE_S: Final = 30.0
LONGEST_PAUSE_S: Final = 900.0
_MOST_FIGHTS: Final = 10_000


class _Fight(NamedTuple):
    fields: frozenset[FieldClaim]
    rounds: tuple[float, ...]
    pauses: int = 0
    until_s: float = 0.0


class Contests:
    def __init__(self) -> None:
        self._fights: dict[str, _Fight] = {}

    def healing(self, subject: str, heals: tuple[FieldClaim, ...], now_s: float) -> None:
        """Note that *heals* are about to be taken back; raises Contested while that would only feed a fight."""
        if not heals:
            return
        fight = self._fights.get(subject)
        fields = frozenset(heals)
        if (
            fight is None
            or not fight.fields & fields
            or (now_s - fight.rounds[-1] > WINDOW_S and now_s > fight.until_s + WINDOW_S)
        ):
            self._remember(subject, _Fight(fields, (now_s,)))
            return
        if now_s < fight.until_s:
            raise _contested(subject, fight, fight.until_s - now_s)
        rounds = (*(at for at in fight.rounds if now_s - at <= WINDOW_S), now_s)
        if len(rounds) <= ROUNDS and not fight.pauses:
            self._remember(subject, fight._replace(fields=fight.fields | fields, rounds=rounds))
            return
        pause_s = min(FIRST_PAUSE_S * 2**fight.pauses, LONGEST_PAUSE_S)
        fight = fight._replace(rounds=(now_s,), pauses=fight.pauses + 1, until_s=now_s + pause_s)
        self._remember(subject, fight)
        raise _contested(subject, fight, pause_s)

    def _remember(self, subject: str, fight: _Fight) -> None:
        self._fights.pop(subject, None)
        self._fights[subject] = fight
        if len(self._fights) > _MOST_FIGHTS:
            del self._fights[next(iter(self._fights))]


def _contested(subject: str, fight: _Fight, after_s: float) -> Contested:
    managers = sorted({claim.manager for claim in fight.fields})
    fields = sorted({claim.field for claim in fight.fields})
    return Contested(
        f"{subject} is fought over",
        managers=tuple(managers),
        after_s=after_s,
        why=f"{', '.join(managers)} keeps writing {', '.join(fields[:5])}",
    )
