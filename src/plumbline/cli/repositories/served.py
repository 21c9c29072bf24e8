"""Repositories of a server. What is secret goes there and never comes back."""

from typing import Final

from plumbline.base.errors import AlreadyExists, InvalidInput
from plumbline.base.json import JsonObject
from plumbline.cli.repositories.shelf import Known
from plumbline.cli.server.api import Api
from plumbline.source.fields import Fields
from plumbline.source.repository import Repository
from plumbline.source.secrets import TEMPLATES, Kind
from plumbline.source.urls import redacted

_DIFFERENT: Final = "use upsert flag"


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

    async def add(self, repository: Repository, *, upsert: bool) -> str:
        body = _described(repository)
        # Whether it answers is told, and no reason to refuse it: hosts, keys and names may follow.
        query = {"upsert": "true" if upsert else "", "validate": "" if self._template else "false"}
        try:
            await self._api.ask("POST", (self._plural,), body, query)
        except InvalidInput as refused:
            if _DIFFERENT not in refused.why:
                raise
            raise AlreadyExists(
                f"{redacted(repository.url)} is there already",
                why="existing repository spec is different",
                hint="Use --upsert to replace it.",
            ) from None
        return "" if self._template else await self._silent(repository, body)

    async def _silent(self, repository: Repository, body: JsonObject) -> str:
        """Why it does not answer."""
        try:
            await self._api.ask("POST", (self._plural, repository.url, "validate"), body)
        except InvalidInput as refused:
            return refused.why
        return ""

    async def remove(self, url: str, project: str = "") -> None:
        await self._api.ask("DELETE", (self._plural, url), query={"appProject": project})


def _known(said: JsonObject) -> Known:
    return Known(said, own=not said.get("inheritedCreds"))


def _described(repository: Repository) -> JsonObject:
    """In Argo CD's words, with everything that is secret."""
    values = Fields.of(repository).values
    said: JsonObject = {name: value.reveal().decode() for name, value in values.items() if name != "url"}
    return {"repo": repository.url, "url": repository.url, **said}
