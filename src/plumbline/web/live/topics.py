"""What can be listened to, and where it comes from. Rooms add theirs when the port is put together."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.web.live.changes import Feed

MOST: Final = 64
"""Of one stream."""
_LONGEST: Final = 600


class Topics:
    """`applications` is a topic; `application:` is a family of them, one for each thing that may be named after it."""

    def __init__(self) -> None:
        self._feeds: dict[str, Feed] = {}

    def add(self, name: str, feed: Feed) -> None:
        """*name* is a topic, or with a colon at its end a family."""
        if name in self._feeds:
            raise ValueError(f"two rooms tell of {name}")
        self._feeds[name] = feed

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._feeds))

    def find(self, topic: str) -> Feed | None:
        family, colon, name = topic.partition(":")
        if colon and not name:
            return None
        return self._feeds.get(family + colon)

    def chosen(self, listed: str) -> dict[str, Feed]:
        """What is asked for, as names with commas between. Raises InvalidInput for what there is not."""
        names = dict.fromkeys(name for name in (part.strip() for part in listed.split(",")) if name)
        if not names:
            raise InvalidInput("Nothing is listened to", why="no topic is named", hint=self._hint())
        if len(names) > MOST:
            raise InvalidInput("The stream is not opened", why=f"it has more than {MOST} topics", hint=self._hint())
        found: dict[str, Feed] = {}
        for name in names:
            feed = self.find(name) if len(name) <= _LONGEST else None
            if feed is None:
                raise InvalidInput("The stream is not opened", why="there is no such topic", hint=self._hint())
            found[name] = feed
        return found

    def _hint(self) -> str:
        said = ", ".join(f"{name}NAME" if name.endswith(":") else name for name in self.names)
        return f"Topics are {said}."
