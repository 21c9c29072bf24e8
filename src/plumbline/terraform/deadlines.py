"""How long a run of an object may take."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.kinds.duration import BadDuration, Duration

ANNOTATION: Final = "plumbline.dev/run-deadline"
USUAL_S: Final = 3600.0
_SHORTEST_S: Final = 1.0
_LONGEST_S: Final = 86_400.0


def deadline_s(obj: JsonObject) -> float:
    """What the object says, or an hour. Raises InvalidInput where it says nothing that can be kept."""
    said = (obj["metadata"].get("annotations") or {}).get(ANNOTATION)
    if said is None:
        return USUAL_S
    try:
        found_s = Duration.parse(str(said)).seconds
    except BadDuration as bad:
        raise InvalidInput(f"{ANNOTATION} is no duration", why=str(bad), hint="Such as 90m.") from bad
    if not _SHORTEST_S <= found_s <= _LONGEST_S:
        raise InvalidInput(f"{ANNOTATION} is {said}", why="a run may take a second to a day")
    return found_s
