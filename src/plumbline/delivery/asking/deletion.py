"""What becomes of the objects that an Application delivers when it is deleted: its finalizers say it. Pure."""

from typing import Final

from plumbline.base.json import JsonObject

FINALIZER: Final = "resources-finalizer.argocd.argoproj.io"
_POLICIES: Final = frozenset({FINALIZER, f"{FINALIZER}/foreground", f"{FINALIZER}/background"})


def finalizers(app: JsonObject, *, cascade: bool, policy: str) -> list[str] | None:
    """Those that it needs; None where it has them. Without a *policy*, any that it has will do."""
    present: list[str] = list((app.get("metadata") or {}).get("finalizers") or [])
    if cascade and not policy and not _POLICIES.isdisjoint(present):
        return None
    kept = [each for each in present if each not in _POLICIES]
    wanted = [*kept, f"{FINALIZER}/{policy}" if policy else FINALIZER] if cascade else kept
    return None if sorted(wanted) == sorted(present) else wanted


def unconfirmed(app: JsonObject) -> list[str]:
    """The objects that go only once somebody agrees, for people. Agreement from before the deletion does not count."""
    resources = (app.get("status") or {}).get("resources") or ()
    asking = (each for each in resources if each.get("requiresDeletionConfirmation"))
    return [
        f"{each.get('kind')} {each.get('namespace') or ''}/{each.get('name')}".replace(" /", " ") for each in asking
    ]
