"""Changes of applications and projects, put into the words that a server has for them."""

from typing import Final, NamedTuple

from plumbline.base.errors import AlreadyExists, Forbidden, InvalidInput, NotFound
from plumbline.base.json import Json, JsonObject, encode
from plumbline.cli.server.api import Api
from plumbline.delivery.status import REFRESH

_JSON_PATCH: Final = "application/json-patch+json"
_FINALIZER: Final = "resources-finalizer.argocd.argoproj.io"


class Asked(NamedTuple):
    method: str
    plural: str
    namespace: str
    name: str
    body: Json
    kind: str = ""
    """Of a patch."""
    checked: bool = True
    """Whether a server may refuse an application of which nothing comes."""


class Changes:
    def __init__(self, api: Api) -> None:
        self._api = api

    async def make(self, asked: Asked) -> JsonObject:
        """What has become of the object."""
        return await (self._application(asked) if asked.plural == "applications" else self._project(asked))

    async def _project(self, asked: Asked) -> JsonObject:
        match asked.method:
            case "POST":
                return await self._api.ask("POST", ("projects",), {"project": asked.body})
            case "PUT":
                return await self._api.ask("PUT", ("projects", asked.name), {"project": asked.body})
            case "DELETE":
                return await self._api.ask("DELETE", ("projects", asked.name))
        raise _unknown(asked)

    async def _application(self, asked: Asked) -> JsonObject:
        at, where = ("applications", asked.name), {"appNamespace": asked.namespace}
        validate = {} if asked.checked else {"validate": "false"}
        match asked.method:
            case "POST":
                await self._refuse_second(asked)
                return await self._api.ask("POST", ("applications",), asked.body, validate)
            case "PUT":
                return await self._api.ask("PUT", at, asked.body, {**where, **validate})
            case "DELETE":
                return await self._api.ask("DELETE", at, query={**where, **await self._deletion(at, where)})
            case "PATCH":
                return await self._patched(asked, at, where)
        raise _unknown(asked)

    async def _refuse_second(self, asked: Asked) -> None:
        """A server takes the same application again without a word, so that nobody could tell whether it was there."""
        name = str(asked.body["metadata"]["name"]) if isinstance(asked.body, dict) else ""
        try:
            await self._api.get("applications", name, appNamespace=asked.namespace)
        except (NotFound, Forbidden):
            # Of what is not there it says no more than that it may not be seen.
            return
        raise AlreadyExists(f"there is an application {name} already")

    async def _deletion(self, at: tuple[str, str], where: dict[str, str]) -> dict[str, str]:
        """A server decides anew what is deleted with it; what the finalizers say is what was asked for."""
        found = await self._api.get(*at, **where)
        said = [str(each) for each in (found.get("metadata") or {}).get("finalizers") or () if str(each).startswith(_FINALIZER)]  # fmt: skip
        policy = said[0].partition("/")[2] if said else ""
        return {"cascade": "true" if said else "false", "propagationPolicy": policy}

    async def _patched(self, asked: Asked, at: tuple[str, str], where: dict[str, str]) -> JsonObject:
        body = asked.body if isinstance(asked.body, dict) else {}
        annotations = (body.get("metadata") or {}).get("annotations") or {}
        state = (body.get("status") or {}).get("operationState") or {}
        if body.get("operation"):
            syncs = REFRESH in annotations
            return await (self._synced(asked, body) if syncs else self._rolled_back(asked, body))
        if state.get("phase") == "Terminating":
            await self._api.ask("DELETE", (*at, "operation"), query=where)
            return await self._api.get(*at, **where)
        if body == {"metadata": {"annotations": {REFRESH: annotations.get(REFRESH)}}}:
            return await self._api.get(*at, **where, refresh=str(annotations[REFRESH]))
        kind = "json" if asked.kind == _JSON_PATCH else "merge"
        patch = {"name": asked.name, "patch": encode(asked.body).decode(), "patchType": kind, **where}
        return await self._api.ask("PATCH", at, patch)

    async def _synced(self, asked: Asked, body: JsonObject) -> JsonObject:
        operation = body["operation"]
        sync = operation.get("sync") or {}
        revisions = sync.get("revisions") or []
        wanted: JsonObject = {
            "name": asked.name,
            "appNamespace": asked.namespace,
            "revision": sync.get("revision"),
            "revisions": [each for each in revisions if each],
            "sourcePositions": [number for number, each in enumerate(revisions, 1) if each],
            "dryRun": sync.get("dryRun"),
            "prune": sync.get("prune"),
            "strategy": sync.get("syncStrategy"),
            "resources": sync.get("resources"),
            "manifests": sync.get("manifests"),
            "infos": operation.get("info"),
            "retryStrategy": operation.get("retry"),
            "syncOptions": {"items": sync["syncOptions"]} if sync.get("syncOptions") else None,
        }
        said = {key: value for key, value in wanted.items() if value not in (None, [], False)}
        return await self._api.ask("POST", ("applications", asked.name, "sync"), said)

    async def _rolled_back(self, asked: Asked, body: JsonObject) -> JsonObject:
        """To the newest sync of the history that was of the same revisions."""
        sync = body["operation"].get("sync") or {}
        where = {"appNamespace": asked.namespace}
        app = await self._api.get("applications", asked.name, **where)
        history: list[JsonObject] = (app.get("status") or {}).get("history") or []
        wanted = (sync.get("revision") or "", sync.get("revisions") or [])
        past = next((each for each in reversed(history) if (each.get("revision") or "", each.get("revisions") or []) == wanted), None)  # fmt: skip
        if past is None:
            raise InvalidInput(f"{asked.name} cannot go back", why="its history has no such sync any more")
        said = {"name": asked.name, "id": past.get("id"), "prune": bool(sync.get("prune")), **where}
        return await self._api.ask("POST", ("applications", asked.name, "rollback"), said)


def _unknown(asked: Asked) -> InvalidInput:
    return InvalidInput(f"a server cannot {asked.method} {asked.plural}", hint="Ask the cluster itself, with --core.")
