"""Who made a commit, when and why."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from plumbline.source.git.objects import Objects
from plumbline.source.git.revisions import Refs
from plumbline.source.git.values import Commit

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST_S: Final = 253_402_300_799
_MINUTES_A_DAY: Final = 24 * 60


def described(objects: Objects, refs: Refs, sha: str) -> Commit:
    """Blocks; NotFound where there is no such commit."""
    found = objects.commit(sha)
    author = found.author
    return Commit(
        sha=str(found.id),
        author=f"{_text(author.raw_name)} <{_text(author.raw_email)}>",
        date=_moment(author.time, author.offset),
        message=_text(found.raw_message).strip(),
        tags=refs.tags_of(str(found.id)),
        parents=tuple(str(parent) for parent in found.parent_ids),
    )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _moment(seconds: int, offset_minutes: int) -> datetime:
    """Anybody may write any number into a commit; what no calendar has is moved to where one ends."""
    zone = timezone(timedelta(minutes=offset_minutes)) if abs(offset_minutes) < _MINUTES_A_DAY else UTC
    moment = _EPOCH + timedelta(seconds=min(max(seconds, 0), _LATEST_S - 2 * _MINUTES_A_DAY * 60))
    return moment.astimezone(zone)
