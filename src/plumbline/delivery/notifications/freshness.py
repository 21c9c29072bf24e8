"""Whether an Application's status is from after its last operation. Pure."""

from datetime import datetime
from typing import Final

from plumbline.base.json import Json, JsonObject

_ENDED: Final = frozenset({"Failed", "Error", "Succeeded"})


def fresh(app: JsonObject) -> bool:
    """False between the end of an operation and the first look after it, when the status still tells of before."""
    found = app.get("status")
    status: JsonObject = found if isinstance(found, dict) else {}
    state = status.get("operationState")
    if not isinstance(state, dict) or state.get("phase") not in _ENDED:
        return True
    finished = _moment(state.get("finishedAt"))
    if finished is None:
        return False
    looked = [_moment(status.get(name)) for name in ("reconciledAt", "observedAt")]
    return any(each is not None and finished <= each for each in looked)


def _moment(value: Json) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
