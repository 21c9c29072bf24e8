"""Which attributes a change is about, and what they become; masked."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.base.json import Json, encode
from plumbline.base.redaction import names_secret
from plumbline.terraform.plans.masks import LONGEST_SHOWN, Masks, below, marks_any, masked
from plumbline.terraform.plans.values import Field
from plumbline.terraform.plans.wording import HIDDEN, SENSITIVE, UNKNOWN, cut, plain, quoted

MOST_OF_ONE: Final = 200
_DEEPEST: Final = 60
_AROUND: Final = 30
_SHORT: Final = 160

Step = str | int
Path = tuple[Step, ...]


class Sides(NamedTuple):
    """The same place before and after, and what is known about it."""

    before: Json
    after: Json
    unknown: Json
    before_mask: Json
    after_mask: Json

    def at(self, step: Step) -> "Sides":
        return Sides(
            _part(self.before, step),
            _part(self.after, step),
            below(self.unknown, step),
            below(self.before_mask, step),
            below(self.after_mask, step),
        )

    @property
    def is_sensitive(self) -> bool:
        return self.before_mask is True or self.after_mask is True

    @property
    def differs(self) -> bool:
        return self.unknown is True or not same(self.before, self.after)


class Difference(NamedTuple):
    """An attribute that changes: the smallest part of which that can be said."""

    path: Path
    sides: Sides
    hidden: bool
    """Only named: a container that it is in is sensitive as a whole, and has been shown as such."""


def differences(sides: Sides, path: Path = (), *, hidden: bool = False) -> Iterator[Difference]:
    """All of them in order, down to the leaves; none where both sides are the same."""
    if not sides.differs and not marks_any(sides.unknown):
        return
    secret = sides.is_sensitive or bool(path and isinstance(path[-1], str) and _is_secret(path[-1], sides))
    steps = () if sides.unknown is True or len(path) >= _DEEPEST else _steps(sides)
    if secret or not steps:
        yield Difference(path, sides, hidden)
        hidden = hidden or secret
    for step in steps:
        yield from differences(sides.at(step), (*path, step), hidden=hidden)


def fields(
    found: Iterator[Difference], masks: Masks, reasons: frozenset[str], room: int
) -> tuple[tuple[Field, ...], int]:
    """As many as there is *room* for, and how many there are besides."""
    kept: list[Field] = []
    left_out = 0
    for each in found:
        if each.hidden or not each.path:
            continue
        if len(kept) < room:
            kept.append(_field(each, masks, reasons))
        else:
            left_out += 1
    return tuple(kept), left_out


def path_text(path: Path, masks: Masks) -> str:
    """`ingress[0].cidr_blocks`, with keys in quotes where they are no names."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("-", "_").isidentifier():
            text += f".{masks.mask(step)}" if text else masks.mask(step)
        else:
            text += f"[{cut(quoted(masks.mask(step[:LONGEST_SHOWN])), _SHORT)}]"
    return text


def rendered(value: Json, mask: Json, masks: Masks, name: str = "") -> str | None:
    """*value* as it may be shown; None where there is none."""
    value = masked(value, mask, name)
    if value is None:
        return None
    if isinstance(value, str):
        return cut(value if value in {SENSITIVE, HIDDEN} else _text(value, masks))
    if isinstance(value, bool):
        return "true" if value else "false"
    text = encode(value).decode("utf-8", "replace") if isinstance(value, dict | list) else str(value)
    return cut(plain(masks.mask(text))) if len(text) <= LONGEST_SHOWN else f"(value of {len(text):,} characters)"


def same(one: Json, other: Json) -> bool:
    """Equal and of the same type: to Python 1 is True."""
    if isinstance(one, bool) is not isinstance(other, bool):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _field(found: Difference, masks: Masks, reasons: frozenset[str]) -> Field:
    path, sides = found.path, found.sides
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    text = path_text(path, masks)
    mask = sides.is_sensitive
    before: str | None
    after: str | None
    if _are_long_texts(sides, name):
        before, after = _excerpts(masks.mask(sides.before), masks.mask(sides.after))
    else:
        before = rendered(sides.before, mask or sides.before_mask, masks, name)
        after = rendered(sides.after, mask or sides.after_mask, masks, name)
    if sides.unknown is True:
        after = UNKNOWN
    replaces = any(text == each or text.startswith((f"{each}.", f"{each}[")) for each in reasons)
    return Field(cut(text), before, after, replaces)


def _text(text: str, masks: Masks) -> str:
    return quoted(masks.mask(text)) if len(text) <= LONGEST_SHOWN else f"(text of {len(text):,} characters)"


def _are_long_texts(sides: Sides, name: str) -> bool:
    before, after = sides.before, sides.after
    return (
        isinstance(before, str)
        and isinstance(after, str)
        and _SHORT < max(len(before), len(after)) <= LONGEST_SHOWN
        and not names_secret(name)
        and not marks_any(sides.before_mask)
        and not marks_any(sides.after_mask)
    )


def _excerpts(before: str, after: str) -> tuple[str, str]:
    """What differs in two long texts, with a little around it."""
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    end = next((at for at in range(shorter - start) if before[-1 - at] != after[-1 - at]), shorter - start)
    return _excerpt(before, start, end), _excerpt(after, start, end)


def _excerpt(text: str, start: int, end: int) -> str:
    begin, stop = max(0, start - _AROUND), min(len(text), len(text) - end + _AROUND)
    inside = quoted(text[begin:stop])[1:-1]
    return cut(f'"{"…" if begin else ""}{inside}{"…" if stop < len(text) else ""}"')


def _steps(sides: Sides) -> tuple[Step, ...]:
    """Where to look on; none where one side is a leaf, or both are of different kinds."""
    parts = [part for part in (sides.before, sides.after) if part is not None]
    if parts and all(isinstance(part, dict) for part in parts):
        known = sides.unknown if isinstance(sides.unknown, dict) else {}
        keys = {*known, *(key for part in parts for key in part)}
        return tuple(sorted(key for key in keys if known.get(key) or not _is_kept(sides, key)))
    if parts and all(isinstance(part, list) for part in parts):
        known_items = len(sides.unknown) if isinstance(sides.unknown, list) else 0
        return tuple(range(max(known_items, *map(len, parts), 0)))
    return ()


def _is_kept(sides: Sides, key: str) -> bool:
    """Whether a text stays what it is, as most do: it need not be looked at closer."""
    before = _part(sides.before, key)
    return isinstance(before, str) and before == _part(sides.after, key)


def _part(value: Json, step: Step) -> Json:
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step)
    if isinstance(value, list) and isinstance(step, int):
        return value[step] if step < len(value) else None
    return None


def _is_secret(name: str, sides: Sides) -> bool:
    return names_secret(name) and not isinstance(sides.before, bool) and not isinstance(sides.after, bool)
