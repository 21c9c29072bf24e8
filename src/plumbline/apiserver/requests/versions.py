"""The rules of resourceVersion: what a reader may ask to see."""

from plumbline.apiserver import statuses
from plumbline.apiserver.fielderrors import invalid
from plumbline.apiserver.objects import revisions
from plumbline.apiserver.storage.store import Store
from plumbline.base.errors import RequestRefused


def revision_of(text: str) -> int | None:
    """None for the newest; raises for what is no revision, as a get and a watch do."""
    try:
        return revisions.revision_of(text)
    except ValueError as bad:
        raise statuses.plain_failure(500, _no_revision(text, bad)) from None


def listed_revision(text: str) -> int | None:
    """The same for lists, which say it in other words."""
    try:
        return revisions.revision_of(text)
    except ValueError as bad:
        raise statuses.bad_request(f"invalid resource version: {_no_revision(text, bad)}") from None


def _no_revision(text: str, bad: ValueError) -> str:
    return str(invalid("resourceVersion", text, str(bad)))


def check_not_future(revision: int, store: Store) -> None:
    if revision > store.revision:
        raise too_large(revision, store.revision)


def too_large(revision: int, current: int) -> RequestRefused:
    message = f"Too large resource version: {revision}, current: {current}"
    cause = [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]
    return statuses.failure(504, "Timeout", f"Timeout: {message}", causes=cause, retryAfterSeconds=1)
