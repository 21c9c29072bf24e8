"""Revisions of an application: which are asked for, and what each is."""

from typing import Final

from plumbline.base.clock import rfc3339
from plumbline.base.documents import load_document
from plumbline.base.errors import Forbidden, InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.base.limits import MANIFESTS
from plumbline.base.tree.tree import read_text
from plumbline.composition.parts import below
from plumbline.delivery.asking.operations import project_of
from plumbline.delivery.projects import permits_source
from plumbline.delivery.projects.refusals import source_refusal
from plumbline.source.git.values import Commit
from plumbline.source.urls import redacted
from plumbline.web.api.answers import Captured, answered
from plumbline.web.api.parameters import texts
from plumbline.web.api.resources.asking import Asked, Reception
from plumbline.web.requests import Request, Response

_CHART: Final = "Chart.yaml"
_LONGEST: Final = 65_536
_MOST_TAGS: Final = 100
_MOST_MAINTAINERS: Final = 100


def sources_in(holder: JsonObject) -> list[JsonObject]:
    """The sources of a spec, or of a line of the history."""
    several = holder.get("sources")
    if isinstance(several, list) and several:
        return [each for each in several if isinstance(each, dict)]
    one = holder.get("source")
    return [one] if isinstance(one, dict) else []


def revisions_of(asked: Asked) -> tuple[str, ...]:
    """One for each source, empty where the source's own is meant. Positions count from one."""
    query = asked.query
    revisions = texts(asked.request, "revisions")
    if not revisions:
        return (query["revision"],) if query.get("revision") else ()
    positions = texts(asked.request, "sourcePositions")
    count = len(sources_in(below(asked.app, "spec"))) or 1
    if len(positions) != len(revisions):
        raise InvalidInput("the revisions cannot be used", why="there is not one source position for each")
    chosen = [""] * count
    for position, revision in zip(positions, revisions, strict=True):
        if not position.isdecimal() or not 1 <= int(position) <= count:
            raise InvalidInput("source position is out of range", why=f"{position!r} is not in 1..{count}")
        chosen[int(position) - 1] = revision
    return tuple(chosen)


class Revisions:
    def __init__(self, reception: Reception) -> None:
        self._reception = reception

    async def metadata(self, request: Request, captured: Captured) -> Response:
        """Argo CD's `RevisionMetadata`."""
        asked = await self._reception.asked(request, captured)
        source = _source(asked)
        commits = self._reception.origins().commits
        found = await commits.commit(_text(source, "repoURL"), captured["revision"], project=project_of(asked.app))
        return answered(commit_json(found))

    async def chart(self, request: Request, captured: Captured) -> Response:
        """Argo CD's `ChartDetails`."""
        asked = await self._reception.asked(request, captured)
        source = _source(asked)
        chart = _text(source, "chart")
        if not chart:
            raise InvalidInput(f"no chart found for application: {asked.found.named.name}")
        charts = self._reception.origins().charts
        tree = await charts.tree(_text(source, "repoURL"), chart, captured["revision"], project=project_of(asked.app))
        text = read_text(tree, _CHART if tree.entry(_CHART) is not None else f"{chart}/{_CHART}")
        described = load_document(text, limits=MANIFESTS, source=_CHART).value
        return answered(_chart_json(described if isinstance(described, dict) else {}))


def commit_json(commit: Commit) -> JsonObject:
    said: JsonObject = {
        "author": commit.author,
        "date": rfc3339(commit.date),
        "tags": list(commit.tags[:_MOST_TAGS]),
        "message": commit.message[:_LONGEST].strip(),
    }
    return {name: value for name, value in said.items() if value}


def _source(asked: Asked) -> JsonObject:
    """The one that is meant: of now, or of a line of the history."""
    query, sources = asked.query, sources_in(below(asked.app, "spec"))
    version = query.get("versionId", "")
    if version:
        history = below(asked.app, "status").get("history")
        entries = history if isinstance(history, list) else []
        entry = next((each for each in entries if isinstance(each, dict) and str(each.get("id")) == version), None)
        if entry is None:
            raise InvalidInput(f"revision history not found for version ID {version[:20]}")
        sources = sources_in(entry)
    index = query.get("sourceIndex", "0")
    if not index.isdecimal() or int(index) >= len(sources):
        raise InvalidInput(f"source index {index[:20]} not found because there are only {len(sources)} sources")
    refuse_forbidden(asked, _text(sources[int(index)], "repoURL"))
    return sources[int(index)]


def refuse_forbidden(asked: Asked, url: str) -> None:
    """Raise Forbidden where the project does not permit the repository: an Application may name what it likes."""
    if not permits_source(asked.found.project, url):
        raise Forbidden(source_refusal(asked.found.project, redacted(url)))


def _chart_json(described: JsonObject) -> JsonObject:
    listed = described.get("maintainers")
    people = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    said: JsonObject = {
        "description": _text(described, "description"),
        "home": _text(described, "home"),
        "maintainers": [_maintainer(each) for each in people[:_MOST_MAINTAINERS]],
    }
    return {name: value for name, value in said.items() if value}


def _maintainer(person: JsonObject) -> str:
    name, address = _text(person, "name"), _text(person, "email")
    return f"{name} <{address}>" if address else name


def _text(holder: JsonObject, name: str) -> str:
    found: Json = holder.get(name)
    return found[:_LONGEST] if isinstance(found, str) else ""
