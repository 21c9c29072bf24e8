"""Lists: consistent pages of what is there, or was there when the first page was given."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from plumbline.apiserver import statuses
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.requests.options import ListOptions
from plumbline.apiserver.requests.selection import Selection
from plumbline.apiserver.requests.tokens import LATEST, Token, behind, read, written
from plumbline.apiserver.requests.versions import check_not_future, listed_revision
from plumbline.apiserver.storage.entries import Entry
from plumbline.apiserver.storage.store import Store
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject

TOO_OLD: Final = "The resourceVersion for the provided list is too old."
_INCONSISTENT: Final = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list."
)


class Page(NamedTuple):
    entries: Sequence[Entry]
    metadata: JsonObject


class Found(NamedTuple):
    """What a page is cut from."""

    entries: Iterable[Entry]
    revision: int
    total: int


def page(store: Store, model: Model, namespace: str, options: ListOptions) -> Page:
    selection = Selection(model, options.labels, options.fields)
    if options.token:
        return _next_page(store, model, namespace, options, selection)
    revision = listed_revision(options.version)
    limit = options.limit
    if revision is None or options.version_match == "NotOlderThan" or not _is_exact(options, revision):
        check_not_future(revision or 0, store)
        limit = 0 if revision == 0 and options.version_match != "NotOlderThan" else limit
        entries: Iterable[Entry] = _current(store, model, namespace, selection)
        found = Found(entries, store.revision, _count(store, model, namespace))
        return _cut(found, namespace, limit, selection)
    return _cut(_as_of(store, model, namespace, revision), namespace, limit, selection)


def _is_exact(options: ListOptions, revision: int) -> bool:
    """A page at a revision must be that revision; anything else may be newer."""
    return options.version_match == "Exact" or bool(options.limit > 0 and revision > 0 and not options.version_match)


def _as_of(store: Store, model: Model, namespace: str, revision: int) -> Found:
    check_not_future(revision, store)
    if not store.has_since(revision):
        raise statuses.expired(TOO_OLD)
    entries = store.shelf(model.resource.collection).as_of(revision, namespace)
    return Found(entries, revision, len(entries))


def _next_page(store: Store, model: Model, namespace: str, options: ListOptions, selection: Selection) -> Page:
    if options.version not in ("", "0"):
        raise statuses.bad_request("specifying resource version is not allowed when using continue")
    token = read(options.token)
    shelf = store.shelf(model.resource.collection)
    start = f"{namespace}/{token.start}" if namespace else token.start
    if token.revision == LATEST:
        entries: Sequence[Entry] = list(shelf.entries(namespace, start))
        return _cut(Found(entries, store.revision, len(entries)), namespace, options.limit, selection)
    check_not_future(token.revision, store)
    if not store.has_since(token.revision):
        raise _too_old_to_continue(token)
    entries = shelf.as_of(token.revision, namespace, start)
    return _cut(Found(entries, token.revision, len(entries)), namespace, options.limit, selection)


def _too_old_to_continue(token: Token) -> RequestRefused:
    refused = statuses.expired(_INCONSISTENT)
    refused.status["metadata"] = {"continue": written(Token(LATEST, token.start))}
    return refused


def _current(store: Store, model: Model, namespace: str, selection: Selection) -> Iterable[Entry]:
    shelf = store.shelf(model.resource.collection)
    if not selection.name:
        return shelf.entries(namespace)
    if namespace or not model.resource.namespaced:
        path = f"{namespace}/{selection.name}" if namespace else selection.name
        found = shelf.get(path)
        return (found,) if found else ()
    return shelf.entries(namespace)


def _count(store: Store, model: Model, namespace: str) -> int:
    return len(store.shelf(model.resource.collection).paths(namespace))


def _cut(found: Found, namespace: str, limit: int, selection: Selection) -> Page:
    """The first *limit* of those that are selected, with a token for the rest."""
    metadata: JsonObject = {"resourceVersion": str(found.revision)}
    chosen: list[Entry] = []
    more = False
    for entry in found.entries:
        # Whether what is left would be selected is found out when somebody asks for it.
        if limit > 0 and len(chosen) == limit:
            more = True
            break
        if selection.matches(entry):
            chosen.append(entry)
    if more:
        last = chosen[-1].key
        metadata["continue"] = written(Token(found.revision, behind(last.name if namespace else last.path)))
        if selection.everything:
            metadata["remainingItemCount"] = found.total - limit
    return Page(chosen, metadata)
