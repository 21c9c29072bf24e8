"""Repository Secrets of one installation, read and written through the Kubernetes API."""

from pathlib import Path
from typing import Final

from plumbline.base.errors import AlreadyExists, NotFound
from plumbline.base.json import JsonObject, decode, encode
from plumbline.cli.repositories.drawing import as_json
from plumbline.cli.repositories.shelf import Known
from plumbline.kube.client import Client, Selection, Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.source.fields import Fields
from plumbline.source.repository import Repository
from plumbline.source.secrets import LABEL, TEMPLATES, Entry, Kind, check_address, entry, secret_for
from plumbline.source.urls import normalised, redacted

_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_AS_PERSON: Final = Writing(field_manager="plumb")


class Secrets:
    """*kind* is that of repositories, or of templates for their credentials."""

    def __init__(self, client: Client, namespace: str, kind: Kind, data: Path | None = None) -> None:
        """*data* is the folder of this user's installation, which may hold repositories that stand for others."""
        self._client = client
        self._collection = Target(_SECRETS, namespace)
        self._namespace = namespace
        self._kind = kind
        self._data = data

    async def listed(self, *, anew: bool = False) -> list[Known]:
        del anew  # whether they answer is not known here
        return [self._known(each) for each in await self._entries()]

    async def found(self, url: str, project: str = "", *, anew: bool = False) -> Known:
        del anew
        return self._known(await self._entry(url, project))

    def _known(self, entry: Entry) -> Known:
        values = entry.fields.values
        return Known(
            as_json(entry, "url" if self._kind in TEMPLATES else "repo"),
            own=entry.fields.credentials_of_its_own,
            ssh=bool(values.get("sshPrivateKey")),
            tls=bool(values.get("tlsClientCertData")),
        )

    async def _entries(self) -> list[Entry]:
        page = await self._client.list(self._collection, Selection(labels=f"{LABEL}={self._kind}"))
        found = (entry(decode(item)) for item in page.items)
        return sorted((each for each in found if each is not None), key=lambda each: (each.url, each.project))

    async def _entry(self, url: str, project: str) -> Entry:
        meant = normalised(url)
        fitting = [each for each in await self._entries() if normalised(each.url) == meant]
        if project:
            fitting = [each for each in fitting if each.project == project]
        if not fitting:
            what = "credentials" if self._kind in TEMPLATES else "repository"
            raise NotFound(f"there is no {what} for {redacted(url)}")
        return fitting[0]

    async def add(self, repository: Repository, *, upsert: bool) -> None:
        if self._kind not in TEMPLATES:
            from plumbline.base.environment import home  # noqa: PLC0415 - as below
            from plumbline.cli.applications.trying import refuse_silent  # noqa: PLC0415 - loads rooms that lists do not need

            check_address(Fields.of(repository), repository.url)  # what is on the disk there only a server can say
            await refuse_silent(self._client, self._namespace, repository, self._data or home() / ".plumbline")
        secret = await self._placed(secret_for(repository, self._namespace, self._kind), repository)
        try:
            await self._client.create(self._collection, encode(secret), _AS_PERSON)
        except AlreadyExists as there:
            target = self._collection._replace(name=secret["metadata"]["name"])
            live = decode(await self._client.get(target))
            if live.get("data") == secret["data"]:
                return
            if not upsert:
                raise AlreadyExists(
                    f"{redacted(repository.url)} is there already",
                    why="existing repository spec is different",
                    hint="Use --upsert to replace it.",
                ) from there
            metadata = {**live["metadata"], "labels": {**(live["metadata"].get("labels") or {}), **secret["metadata"]["labels"]}}  # fmt: skip
            await self._client.update(
                target, encode({**live, "metadata": metadata, "data": secret["data"]}), _AS_PERSON
            )

    async def _placed(self, secret: JsonObject, repository: Repository) -> JsonObject:
        """Under the name of the Secret that has the same address, whoever named it."""
        meant = normalised(repository.url)
        project = "" if self._kind in TEMPLATES else repository.project
        for each in await self._entries():
            if normalised(each.url) == meant and each.project == project:
                return {**secret, "metadata": {**secret["metadata"], "name": each.secret}}
        return secret

    async def remove(self, url: str, project: str = "") -> None:
        known = await self._entry(url, project)
        await self._client.delete(self._collection._replace(name=known.secret))
