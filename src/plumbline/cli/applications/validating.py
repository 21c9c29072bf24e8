"""Whether an Application may be as it is written: typed, and by the rules of its project and its destination."""

from plumbline.base.errors import Forbidden, InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import Applications
from plumbline.delivery.projects.project import Project, effective
from plumbline.delivery.projects.validation import invalid_conditions
from plumbline.delivery.settings.clusters import TYPE_LABEL, Clusters, read_clusters
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.read import read
from plumbline.kube.client import Selection, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.source.secrets import Repositories

_SECRETS = GroupVersionResource("", "v1", "secrets")


async def refuse_invalid(apps: Applications, app: JsonObject, *, rules: bool) -> None:
    """Raise InvalidInput with everything that is wrong. *rules* is whether project and destination count."""
    found = read(APPLICATION, app)
    if not rules or apps.behind.judges:
        return
    clusters = read_clusters(await _marked(apps, "cluster"))
    project = await _project(apps, found.spec.project or "default", clusters)
    faults = invalid_conditions(found.spec, project, clusters)
    if faults:
        what = f"application spec for {AppName.of(app).name} is invalid"
        raise InvalidInput(
            what, why="; ".join(fault.message for fault in faults), hint="Correct it, or use --no-validate."
        )


async def _project(apps: Applications, name: str, clusters: Clusters) -> Project:
    """With what is registered for it alone, which it permits without saying so."""
    try:
        found = await apps.client.get(Target(APP_PROJECT.resource, apps.namespace, name))
    except NotFound as gone:
        raise InvalidInput(
            f'app is not allowed in project "{name}", or the project does not exist',
            hint="See which there are with: plumb proj list; or use --no-validate.",
        ) from gone
    registered = Repositories(await _marked(apps, "repository")).entries
    own = [each.url for each in registered if each.project == name]
    return effective(Project.of(read(APP_PROJECT, decode(found))), repositories=own, clusters=clusters.scoped(name))


async def _marked(apps: Applications, kind: str) -> tuple[JsonObject, ...]:
    """Secrets of one kind. Who may not read any can still deploy to the cluster at hand, from where the project says."""
    selection = Selection(labels=f"{TYPE_LABEL}={kind}")
    try:
        page = await apps.client.list(Target(_SECRETS, apps.namespace), selection)
    except Forbidden:
        return ()
    return tuple(decode(item) for item in page.items)
