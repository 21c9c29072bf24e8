"""Sync windows of an application's project: what they allow now, and which they are."""

from plumbline.base.clock import Clock
from plumbline.base.errors import Forbidden, InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import Applications
from plumbline.delivery.asking.operations import project_of
from plumbline.delivery.projects.windows import allowed, is_open, matching
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT, SyncWindow
from plumbline.kinds.read import read
from plumbline.kube.client import Target


async def windows_of(apps: Applications, app: JsonObject, clock: Clock) -> tuple[str, str]:
    """What they allow now, and which they are, for people."""
    windows = await _matching(apps, app)
    if not windows:
        return "Sync Allowed", ""
    now = clock.now()
    listed = ",".join(f"{each.kind}:{each.schedule}:{each.duration}" for each in windows)
    try:
        open_ = [each for each in windows if is_open(each, now, now)]
        denied = any(each.kind == "deny" for each in open_)
        shut = not open_ and any(each.kind == "allow" for each in windows)
        if not denied and not shut:
            return "Sync Allowed", listed
        return "Manual Allowed" if allowed(windows, manual=True, now=now) else "Sync Denied", listed
    except InvalidInput:
        return "Sync Denied", listed


async def refuse_shut(apps: Applications, app: JsonObject, clock: Clock) -> None:
    """Raise Forbidden where a sync that a person asks for would wait until a window opens or closes."""
    if apps.behind.judges:
        return
    try:
        if allowed(await _matching(apps, app), manual=True, now=clock.now()):
            return
        why = "blocked by sync window"
    except InvalidInput as fault:
        why = f"invalid sync window: {fault.what}"
    hint = f"See when syncs may be with: plumb proj windows list {project_of(app)}."
    raise Forbidden(f"{AppName.of(app)} is not synced", why=f"cannot sync: {why}", hint=hint)


async def _matching(apps: Applications, app: JsonObject) -> tuple[SyncWindow, ...]:
    """Those that are about *app*; none where its project or its spec cannot be read, of which others tell."""
    target = Target(APP_PROJECT.resource, apps.namespace, project_of(app))
    try:
        project = read(APP_PROJECT, decode(await apps.client.get(target)))
        spec = read(APPLICATION, app).spec
    except (NotFound, InvalidInput):
        return ()
    return matching(project.spec.sync_windows, AppName.of(app).name, spec.destination)
