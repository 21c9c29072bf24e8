"""Repositories of a server. What is secret goes there and never comes back."""

from typing import Final

from plumbline.base.errors import AlreadyExists, InvalidInput, PlumblineError, WrongState
from plumbline.base.json import JsonObject
from plumbline.cli.repositories.shelf import Known
from plumbline.cli.server.api import Api
from plumbline.source.fields import Fields
from plumbline.source.repository import Repository
from plumbline.source.secrets import TEMPLATES, Kind
from plumbline.source.urls import redacted

_DIFFERENT: Final = "use upsert flag"
_SILENT: Final = "error testing repository connectivity"
_HINT: Final = "Check the address, and as whom it is to be read; it must be reachable from where the server runs."


class Served:
    def __init__(self, api: Api, kind: Kind) -> None:
        self._api = api
        self._template = kind in TEMPLATES
        self._plural = "repocreds" if self._template else "repositories"

    async def listed(self, *, anew: bool = False) -> list[Known]:
        said = await self._api.get(self._plural, forceRefresh="true" if anew else "")
        found = [_known(each) for each in said.get("items") or ()]
        return sorted(found, key=lambda each: (each.url, str(each.value.get("project") or "")))

    async def found(self, url: str, project: str = "", *, anew: bool = False) -> Known:
        query = {"appProject": project, "forceRefresh": "true" if anew else ""}
        return _known(await self._api.get(self._plural, url, **query))

    async def add(self, repository: Repository, *, upsert: bool) -> None:
        body = _described(repository)
        try:
            if repository.project and not self._template:  # of the others it is found out when they are written
                await self._api.ask("POST", (self._plural, repository.url, "validate"), body)
            await self._api.ask("POST", (self._plural,), body, {"upsert": "true" if upsert else ""})
        except InvalidInput as refused:
            raise _meant(refused, repository.url) from None

    async def remove(self, url: str, project: str = "") -> None:
        await self._api.ask("DELETE", (self._plural, url), query={"appProject": project})


def _meant(refused: InvalidInput, url: str) -> PlumblineError:
    """What a server says with one code for all of it."""
    if _DIFFERENT in refused.why:
        return AlreadyExists(
            f"{redacted(url)} is there already",
            why="existing repository spec is different",
            hint="Use --upsert to replace it.",
        )
    if refused.why.startswith(_SILENT):
        return WrongState(refused.why, hint=_HINT)
    return refused


def _known(said: JsonObject) -> Known:
    return Known(said, own=not said.get("inheritedCreds"))


def _described(repository: Repository) -> JsonObject:
    """In Argo CD's words, with everything that is secret."""
    values = Fields.of(repository).values
    said: JsonObject = {name: value.reveal().decode() for name, value in values.items() if name != "url"}
    return {"repo": repository.url, "url": repository.url, **said}
