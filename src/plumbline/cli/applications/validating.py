"""Whether an Application may be as it is written: typed, and by the rules of its project and its destination."""

from plumbline.base.errors import Forbidden, InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import Applications
from plumbline.delivery.projects.project import Project
from plumbline.delivery.projects.validation import invalid_conditions
from plumbline.delivery.settings.clusters import TYPE_LABEL, Clusters, read_clusters
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.read import read
from plumbline.kube.client import Selection, Target
from plumbline.kube.names import GroupVersionResource

_SECRETS = GroupVersionResource("", "v1", "secrets")


async def refuse_invalid(apps: Applications, app: JsonObject, *, rules: bool) -> None:
    """Raise InvalidInput with everything that is wrong. *rules* is whether project and destination count."""
    found = read(APPLICATION, app)
    if not rules:
        return
    project = await _project(apps, found.spec.project or "default")
    faults = invalid_conditions(found.spec, project, await _clusters(apps))
    if faults:
        what = f"application spec for {AppName.of(app).name} is invalid"
        raise InvalidInput(
            what, why="; ".join(fault.message for fault in faults), hint="Correct it, or use --no-validate."
        )


async def _project(apps: Applications, name: str) -> Project:
    try:
        found = await apps.client.get(Target(APP_PROJECT.resource, apps.namespace, name))
    except NotFound as gone:
        raise InvalidInput(
            f'app is not allowed in project "{name}", or the project does not exist',
            hint="See which there are with: plumb proj list; or use --no-validate.",
        ) from gone
    return Project.of(read(APP_PROJECT, decode(found)))


async def _clusters(apps: Applications) -> Clusters:
    """Who may not read Secrets can still deploy to the cluster at hand."""
    selection = Selection(labels=f"{TYPE_LABEL}=cluster")
    try:
        page = await apps.client.list(Target(_SECRETS, apps.namespace), selection)
    except Forbidden:
        return read_clusters(())
    return read_clusters(tuple(decode(item) for item in page.items))
