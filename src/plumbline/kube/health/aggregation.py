"""One health out of many: how an application is, given how its objects are."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from plumbline.base.json import JsonObject
from plumbline.kube.health.hooks import hook, skipped
from plumbline.kube.health.reading import text
from plumbline.kube.health.status import SEVERITY, Health, Status
from plumbline.kube.names import GroupKind, GroupVersionKind, Ref

IGNORED: Final = "argocd.argoproj.io/ignore-healthcheck"
_APPLICATION: Final = GroupKind("argoproj.io", "Application")
_UNCOUNTED: Final = frozenset({Status.MISSING, Status.UNKNOWN})


class Part(NamedTuple):
    """One managed object as it should be and as it is, either of which may be absent, and the health of the latter."""

    target: JsonObject | None
    live: JsonObject | None
    health: Health | None


def aggregate(parts: Iterable[Part], itself: Ref | None = None) -> Status:
    """The worst health among *parts*; Missing where some are expected and none is there; Healthy where none is.

    Not counted: hooks, objects that are skipped, objects that ask not to be, objects that are not there (they are out
    of sync, which is said elsewhere), those without health, the application *itself*, and applications under it that
    are Missing or Unknown.
    """
    worst, expected, present = Status.HEALTHY, False, False
    for part in parts:
        if _set_aside(part):
            continue
        expected = True
        if part.live is None:
            continue
        present = True
        if part.health is not None and _counted(part.live, part.health, itself):
            worst = max(worst, part.health.status, key=SEVERITY.__getitem__)
    return Status.MISSING if expected and not present else worst


def _set_aside(part: Part) -> bool:
    if part.live is not None and hook(part.live):
        return True
    return part.target is not None and (skipped(part.target) or (part.live is None and hook(part.target)))


def _counted(live: JsonObject, health: Health, itself: Ref | None) -> bool:
    if text(live, "metadata", "annotations", IGNORED) == "true":
        return False
    if GroupVersionKind.of(live).group_kind != _APPLICATION:
        return True
    return health.status not in _UNCOUNTED and Ref.of(live) != itself
