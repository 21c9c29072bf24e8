"""What an application was synced to, by whom, and with what outcome: newest first."""

from collections.abc import Iterator
from typing import Final

from plumbline.base.errors import PlumblineError
from plumbline.base.json import Json, JsonObject
from plumbline.composition.parts import below
from plumbline.delivery.asking.operations import project_of
from plumbline.delivery.looks import Wanted
from plumbline.journal.causes import without_credentials
from plumbline.web.api.answers import Captured, answered
from plumbline.web.api.parameters import number, switch
from plumbline.web.api.resources.asking import Asked, Reception
from plumbline.web.api.resources.revisions import commit_json, refuse_forbidden, sources_in
from plumbline.web.requests import Request, Response

_SHOWN: Final = 10
_MOST: Final = 100
_MOST_RENDERED: Final = 10


class History:
    def __init__(self, reception: Reception) -> None:
        self._reception = reception

    async def listed(self, request: Request, captured: Captured) -> Response:
        asked = await self._reception.asked(request, captured)
        most = number(request, "limit", _SHOWN, _MOST)
        rendered = switch(request, "images", default=False)
        items: list[JsonObject] = []
        for at, entry in enumerate(_entries(asked.app)):
            if at >= most:
                break
            images = await self._images(asked, entry, at) if rendered else _known_images(asked.app, entry)
            items.append({**entry, "commits": await self._commits(asked, entry), **images})
        return answered({"items": items})

    async def _commits(self, asked: Asked, entry: JsonObject) -> list[JsonObject]:
        """Who wrote each revision and what they said, where this replica can tell."""
        origins = self._reception.parts.origins()
        if origins is None:
            return []
        told: list[JsonObject] = []
        for source, revision in zip(entry["sources"], entry["revisions"], strict=False):
            if source.get("chart") or not revision:
                continue
            try:
                url = str(source.get("repoURL") or "")
                refuse_forbidden(asked, url)
                found = await origins.commits.commit(url, revision, project=project_of(asked.app))
            except PlumblineError:
                continue
            told.append({"revision": revision, **commit_json(found)})
        return told

    async def _images(self, asked: Asked, entry: JsonObject, at: int) -> JsonObject:
        rendering = self._reception.parts.rendering()
        if rendering is None or at >= _MOST_RENDERED:
            return _known_images(asked.app, entry)
        try:
            target = await rendering.target(Wanted(asked.app, tuple(entry["revisions"])))
        except PlumblineError:
            return {}
        return {"images": list(target.summary.images)}


def _entries(app: JsonObject) -> Iterator[JsonObject]:
    """The operation that is not in the history, because it failed or goes on, and then the history backwards."""
    status = below(app, "status")
    listed = status.get("history")
    history = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    last = below(status, "operationState")
    result = below(last, "syncResult")
    if last and str(last.get("phase")) != "Succeeded":
        yield {
            "result": last.get("phase"),
            "message": last.get("message") or "",
            "startedAt": last.get("startedAt"),
            "finishedAt": last.get("finishedAt"),
            **_what(result),
            **_who(below(last, "operation")),
        }
    for entry in reversed(history):
        named = _note(last) if _same(entry, last) else {}
        yield {
            "id": entry.get("id"),
            "result": "Succeeded",
            "startedAt": entry.get("deployStartedAt"),
            "finishedAt": entry.get("deployedAt"),
            **_what(entry),
            **_who(entry),
            **named,
        }


def _what(entry: JsonObject) -> JsonObject:
    several = entry.get("revisions")
    revisions = several if isinstance(several, list) and several else [entry.get("revision") or ""]
    sources = [{**each, "repoURL": without_credentials(str(each.get("repoURL") or ""))} for each in sources_in(entry)]
    return {"revisions": [str(each) for each in revisions], "sources": sources}


def _who(holder: JsonObject) -> JsonObject:
    initiator = below(holder, "initiatedBy")
    automated = bool(initiator.get("automated"))
    return {"actor": str(initiator.get("username") or ""), "automated": automated, **_noted(holder.get("info"))}


def _note(operation_state: JsonObject) -> JsonObject:
    return _noted(below(operation_state, "operation").get("info"))


def _noted(info: Json) -> JsonObject:
    """What somebody said about it, as NAME: VALUE."""
    listed = [each for each in info if isinstance(each, dict)] if isinstance(info, list) else []
    note = "; ".join(f"{each.get('name')}: {each.get('value')}" for each in listed)
    return {"note": note} if note else {}


def _same(entry: JsonObject, last: JsonObject) -> bool:
    return bool(last) and entry.get("deployStartedAt") == last.get("startedAt")


def _known_images(app: JsonObject, entry: JsonObject) -> JsonObject:
    """Of what is live now they are known without rendering."""
    sync, summary = below(app, "status", "sync"), below(app, "status", "summary")
    now = sync.get("revisions") or [sync.get("revision")]
    return {"images": summary.get("images") or []} if now == entry["revisions"] else {}
