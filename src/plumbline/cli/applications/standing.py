"""How repositories are come to from here: those that `plumb up` on the same folder holds are taken from there."""

from pathlib import Path
from typing import Final

import msgspec

from plumbline.forge.local import LocalForge
from plumbline.kernel.world import World
from plumbline.source.githubapp import InstallationTokens
from plumbline.source.repository import Credentials, Repository
from plumbline.source.urls import mirror_key

_FORGE: Final = "git"


class Standing:
    """*data* is the folder of this user's installation."""

    def __init__(self, data: Path, world: World) -> None:
        forge = LocalForge(data / _FORGE, world.ids)
        self._here = {mirror_key(url): path for url, path in forge.stands_for().items()}

    def placed(self, known: Repository) -> Repository:
        """With where it really is."""
        here = self._here.get(mirror_key(known.url))
        return known if here is None else msgspec.structs.replace(known, stands_at=str(here))


class Authorised:
    """As whom we come, once tokens that have to be asked for are there."""

    def __init__(self, world: World) -> None:
        self._tokens = InstallationTokens(world.clock)

    async def __call__(self, repository: Repository) -> Credentials:
        if repository.credentials.github_app is None:
            return repository.credentials
        return Credentials(username="x-access-token", password=await self._tokens.token(repository))
