"""The comment that stays: found again by a mark that nobody sees, and changed instead of repeated.

Only a comment of our own is ever changed. Whoever else plants the mark would otherwise have a comment that they can
edit, and that others take for ours.
"""

import re
from typing import Final, Literal, NamedTuple

from plumbline.base.errors import Forbidden, NotFound, Unauthenticated
from plumbline.terraform.changed.comments.forges import (
    LIMITS,
    Comment,
    Spelling,
    address,
    identity,
    incoming,
    outgoing,
    spelling,
)
from plumbline.terraform.changed.comments.places import Place
from plumbline.terraform.changed.comments.wire import Wire

_MARK: Final = re.compile(r"\A<!--[^\n]*?-->\s*")
_PAGES: Final = 100
_FULL: Final = 100
_CUT: Final = "\n\n…the rest does not fit into one comment; it is in the log and the artifacts of the run.\n"


class Posted(NamedTuple):
    id: str
    what: Literal["made", "changed", "unchanged"]


async def posted(place: Place, name: str, text: str) -> Posted:
    """Put *text* on the pull request, as the one comment of that *name*."""
    how = spelling(place.forge)
    body = _body(how.marker.format(name=name), text, LIMITS[place.forge])
    parts = {"repository": place.repository, "change": place.change}
    async with Wire(place) as wire:
        ours = await _ours(place, wire, how, how.marker.format(name=name))
        if ours is None:
            path = address(place.forge, how.comments, **parts)
            reply = await wire.ask("POST", path, outgoing(place.forge, body))
            return Posted(str(reply.get("id", "")) if isinstance(reply, dict) else "", "made")
        if ours.body.strip() == body.strip():
            return Posted(ours.id, "unchanged")
        path = address(place.forge, how.comment, **parts, id=ours.id)
        await wire.ask(how.changing, path, outgoing(place.forge, body))
        return Posted(ours.id, "changed")


async def _ours(place: Place, wire: Wire, how: Spelling, marker: str) -> Comment | None:
    me = await _me(place, wire)
    base = address(place.forge, how.comments, repository=place.repository, change=place.change)
    for page in range(1, _PAGES + 1):
        comments = incoming(place.forge, await wire.ask("GET", base + how.page.format(page=page)))
        for comment in comments:
            mine = comment.author == me if me else comment.program
            if mine and comment.body.lstrip().startswith(marker):
                return comment
        if len(comments) < _FULL or not how.page:
            return None
    return None


async def _me(place: Place, wire: Wire) -> str:
    """Who the token is; empty where the forge does not say it to programs, as GitHub to its own jobs."""
    try:
        person = await wire.ask("GET", "/user")
    except (Forbidden, NotFound, Unauthenticated):
        return ""
    return identity(place.forge, person) if isinstance(person, dict) else ""


def _body(marker: str, text: str, limit: int) -> str:
    # A report begins with a mark of its own, which not every forge hides.
    body = f"{marker}\n\n{_MARK.sub('', text)}"
    return body if len(body) <= limit else body[: limit - len(_CUT)] + _CUT
