"""Deleting an Application: what becomes of the objects that it delivers is said by its finalizers."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import Applications

FINALIZER: Final = "resources-finalizer.argocd.argoproj.io"
_POLICIES: Final = frozenset({FINALIZER, f"{FINALIZER}/foreground", f"{FINALIZER}/background"})


async def delete(apps: Applications, name: AppName, *, cascade: bool, policy: str) -> None:
    """With *cascade*, what it delivers goes first, by *policy*; without, all of it stays."""
    app = await apps.get(name)
    change = finalizers(app, cascade=cascade, policy=policy)
    if change is not None and not app["metadata"].get("deletionTimestamp"):
        await apps.patch(name, {"metadata": {"finalizers": change}})
    await apps.client.delete(name.target)


def finalizers(app: JsonObject, *, cascade: bool, policy: str) -> list[str] | None:
    """Those that it needs; None where it has them. Without a *policy*, any that it has will do. Pure."""
    present: list[str] = list((app.get("metadata") or {}).get("finalizers") or [])
    if cascade and not policy and not _POLICIES.isdisjoint(present):
        return None
    kept = [each for each in present if each not in _POLICIES]
    wanted = [*kept, f"{FINALIZER}/{policy}" if policy else FINALIZER] if cascade else kept
    return None if sorted(wanted) == sorted(present) else wanted
