"""How fast a scale may change: limits, rates per period, and the windows over which recommendations are smoothed."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from plumbline.base.json import JsonObject

DOWN_WINDOW_S: Final = 300.0
_FASTEST: Final = 2
_FASTEST_LEAST: Final = 4
WITHIN: Final = ("DesiredWithinRange", "the desired count is within the acceptable range")
_TOO_MANY: Final = ("TooManyReplicas", "the desired replica count is more than the maximum replica count")
_TOO_FEW: Final = ("TooFewReplicas", "the desired replica count is less than the minimum replica count")
_TOO_FAST_UP: Final = (
    "ScaleUpLimit",
    "the desired replica count is increasing faster than the maximum scale rate",
)
_TOO_FAST_DOWN: Final = (
    "ScaleDownLimit",
    "the desired replica count is decreasing faster than the maximum scale rate",
)
READY: Final = ("ReadyForNewScale", "recommended size matches current size")
_STABLE_UP: Final = (
    "ScaleUpStabilized",
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
)
_STABLE_DOWN: Final = (
    "ScaleDownStabilized",
    "recent recommendations were higher than current one, applying the highest recent recommendation",
)


class Moment(NamedTuple):
    at_s: float
    amount: int


class History(msgspec.Struct):
    """What one autoscaler remembers; lost with the process, as upstream's is."""

    recommendations: list[Moment] = msgspec.field(default_factory=list)
    ups: list[Moment] = msgspec.field(default_factory=list)
    downs: list[Moment] = msgspec.field(default_factory=list)
    resized_s: float = -math.inf

    def forget_before(self, at_s: float) -> None:
        self.recommendations = [each for each in self.recommendations if each.at_s >= at_s]
        self.ups = [each for each in self.ups if each.at_s >= at_s]
        self.downs = [each for each in self.downs if each.at_s >= at_s]


class Bounds(NamedTuple):
    current: int
    least: int
    most: int


class Paced(NamedTuple):
    desired: int
    able: tuple[str, str]
    """Reason and message of AbleToScale."""
    limited: tuple[str, str]
    """Of ScalingLimited."""
    is_limited: bool


def paced(wanted: int, bounds: Bounds, behavior: JsonObject | None, history: History, now_s: float) -> Paced:
    """*wanted* by the metrics, as it may be now; remembers that it was wanted."""
    if behavior is None:
        return _paced_plainly(wanted, bounds, history, now_s)
    stable = _stabilized(wanted, bounds, behavior, history, now_s)
    able = READY if stable == wanted else (_STABLE_UP if wanted >= bounds.current else _STABLE_DOWN)
    desired, reason = _within_rates(stable, bounds, behavior, history, now_s)
    return Paced(desired, able, reason, is_limited=desired != stable)


def _paced_plainly(wanted: int, bounds: Bounds, history: History, now_s: float) -> Paced:
    recent = [each.amount for each in history.recommendations if each.at_s > now_s - DOWN_WINDOW_S]
    history.recommendations.append(Moment(now_s, wanted))
    stable = max([wanted, *recent])
    able = READY if stable == wanted else _STABLE_DOWN
    fastest = max(_FASTEST * bounds.current, _FASTEST_LEAST)
    if stable < bounds.least:
        return Paced(bounds.least, able, _TOO_FEW, is_limited=True)
    if stable > min(fastest, bounds.most):
        reason = _TOO_FAST_UP if bounds.most > fastest else _TOO_MANY
        return Paced(min(fastest, bounds.most), able, reason, is_limited=True)
    return Paced(stable, able, WITHIN, is_limited=False)


def _stabilized(wanted: int, bounds: Bounds, behavior: JsonObject, history: History, now_s: float) -> int:
    up_s, down_s = _window_s(behavior, "scaleUp", 0.0), _window_s(behavior, "scaleDown", DOWN_WINDOW_S)
    recent = history.recommendations
    low = min([wanted, *(each.amount for each in recent if each.at_s > now_s - up_s)])
    high = max([wanted, *(each.amount for each in recent if each.at_s > now_s - down_s)])
    history.recommendations.append(Moment(now_s, wanted))
    return min(max(bounds.current, low), high)


def _window_s(behavior: JsonObject, field: str, default_s: float) -> float:
    told = (behavior.get(field) or {}).get("stabilizationWindowSeconds")
    return default_s if told is None else float(told)


def _within_rates(
    wanted: int, bounds: Bounds, behavior: JsonObject, history: History, now_s: float
) -> tuple[int, tuple[str, str]]:
    if wanted > bounds.current:
        limit = max(_limit(bounds, behavior.get("scaleUp") or {}, history, now_s, up=True), bounds.current)
        most, reason = (limit, _TOO_FAST_UP) if bounds.most > limit else (bounds.most, _TOO_MANY)
        return (most, reason) if wanted > most else (wanted, WITHIN)
    if wanted < bounds.current:
        limit = min(_limit(bounds, behavior.get("scaleDown") or {}, history, now_s, up=False), bounds.current)
        least, reason = (limit, _TOO_FAST_DOWN) if bounds.least < limit else (bounds.least, _TOO_FEW)
        return (least, reason) if wanted < least else (wanted, WITHIN)
    return wanted, WITHIN


def _limit(bounds: Bounds, rules: JsonObject, history: History, now_s: float, *, up: bool) -> int:
    """The furthest that the policies allow in this direction, by the one that the rules select."""
    select = rules.get("selectPolicy") or "Max"
    policies: Sequence[JsonObject] = rules.get("policies") or ()
    if select == "Disabled":
        return bounds.current
    if not policies:
        return bounds.most if up else bounds.least
    proposals = []
    for each in policies:
        since_s = now_s - float(each.get("periodSeconds") or 0)
        start = bounds.current - _sum(history.ups, since_s) + _sum(history.downs, since_s)
        value = int(each.get("value") or 0)
        if each.get("type") == "Percent":
            proposals.append(math.ceil(start * (1 + value / 100)) if up else int(start * (1 - value / 100)))
        else:
            proposals.append(start + value if up else start - value)
    return max(proposals) if (select == "Max") == up else min(proposals)


def _sum(changes: Sequence[Moment], since_s: float) -> int:
    return sum(each.amount for each in changes if each.at_s > since_s)
