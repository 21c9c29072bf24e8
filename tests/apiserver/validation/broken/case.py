"""A broken object: one that was sound, and what was done to it."""

from typing import NamedTuple

from plumbline.base.json import Json, JsonObject

GONE = object()


class Case(NamedTuple):
    """`edits` maps paths, whose steps a bar divides, to the values that are put there."""

    base: str
    why: str
    edits: dict[str, Json]
    verb: str = "create"

    @property
    def key(self) -> str:
        place = next(iter(self.edits), "").replace("|", ".")
        return f"{self.verb} {self.base} {place}: {self.why}"


def edited(obj: JsonObject, edits: dict[str, Json]) -> JsonObject:
    for path, value in edits.items():
        obj = _placed(obj, path.split("|"), _present(value))
    return obj


def _present(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _present(each) for name, each in value.items() if each is not GONE}
    return list(map(_present, value)) if isinstance(value, list) else value


def _placed(held: Json, steps: list[str], value: Json) -> Json:
    step, *rest = steps
    if isinstance(held, list):
        place = int(step)
        items = [*held, *([{}] if place == len(held) else [])]
        items[place] = _placed(items[place], rest, value) if rest else value
        return [each for each in items if each is not GONE]
    placed = dict(held or {})
    placed[step] = _placed(placed.get(step), rest, value) if rest else value
    return {name: each for name, each in placed.items() if each is not GONE}


def table(base: str, *rows: tuple[str, dict[str, Json]], at: str = "", verb: str = "create") -> list[Case]:
    """Cases that share a base and the path below which they edit."""
    return [Case(base, why, {f"{at}{path}": value for path, value in edits.items()}, verb) for why, edits in rows]
