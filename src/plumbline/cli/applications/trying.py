"""Whether a repository answers that somebody is about to add to a cluster: asked from here, as a server asks from there."""

import tempfile
from pathlib import Path

from plumbline.base.errors import NotFound, WrongState
from plumbline.base.json import JsonObject, decode
from plumbline.cli.applications.standing import Authorised, Standing
from plumbline.kernel.world import real_world
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.source.charts import ChartSources
from plumbline.source.git import GitSources
from plumbline.source.repository import Repository
from plumbline.source.secrets import LABEL, Repositories
from plumbline.source.trust import CERTIFICATES_NAME, KNOWN_HOSTS_NAME, trust

_SECRETS = GroupVersionResource("", "v1", "secrets")
_CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
_ELSEWHERE = (
    "Check the address, and as whom it is to be read. One that only the cluster reaches is added by the server there: "
    "plumb login SERVER, then the same command."
)


async def refuse_silent(client: Client, namespace: str, wanted: Repository, data: Path) -> None:
    """Raise WrongState where *wanted* does not answer, in the words of a server."""
    from plumbline.web.api.repositories.states import States  # noqa: PLC0415 - loads a server
    from plumbline.wiring.reaching import reaching  # noqa: PLC0415 - loads every room

    known = await _known(client, namespace)
    world = real_world()
    standing, authorised = Standing(data, world), Authorised(world)
    with tempfile.TemporaryDirectory(prefix="plumb-") as made:
        folder = Path(made)
        test = reaching(
            GitSources(folder / "git", world, known.choose, authorised=authorised),
            ChartSources(folder / "charts", world, known.choose, authorised=authorised),
            standing.placed,
        )
        try:
            await States(test, known.choose, world.clock).check(lambda: known.completed(wanted))
        except WrongState as silent:
            raise WrongState(silent.what, why=silent.why, hint=_ELSEWHERE) from None


async def _known(client: Client, namespace: str) -> Repositories:
    """Templates of credentials, host keys and certificates of the installation."""
    page = await client.list(Target(_SECRETS, namespace), Selection(labels=f"{LABEL}=repo-creds"))
    hosts = await _config_map(client, namespace, KNOWN_HOSTS_NAME)
    certificates = await _config_map(client, namespace, CERTIFICATES_NAME)
    return Repositories((decode(item) for item in page.items), trust(hosts, certificates))


async def _config_map(client: Client, namespace: str, name: str) -> JsonObject | None:
    try:
        return decode(await client.get(Target(_CONFIG_MAPS, namespace, name)))
    except NotFound:
        return None
