"""Where a key engine of Vault keeps what, by the rules that external-secrets builds paths with. Pure."""

from typing import Final, NamedTuple
from urllib.parse import quote

from plumbline.base.errors import InvalidInput

_LONGEST: Final = 2048


class Mount(NamedTuple):
    """*path* is empty where keys name the mount themselves: its first segment then, or all before `/data/`."""

    path: str
    versioned: bool
    """Version 2 of the key engine, which keeps values below `data` and what is noted about them below `metadata`."""

    def value(self, key: str) -> str:
        return self._below("data", key)

    def metadata(self, key: str) -> str:
        return self._below("metadata", key)

    def folder(self, path: str) -> str:
        """What to list. Raises InvalidInput where nothing says which mount."""
        if not self.path and not _segments(path):
            raise InvalidInput(
                "The secrets cannot be listed",
                why="neither the store nor the search has a path",
                hint="Set path in the store to where its key engine is mounted.",
            )
        return self._below("metadata", path) + "/"

    def _below(self, part: str, key: str) -> str:
        segments = _segments(key)
        if not self.path:
            return "/".join(_with(part, segments) if self.versioned else segments)
        mount = _segments(self.path)
        if len(segments) > len(mount) and segments[: len(mount)] == mount:
            segments = segments[len(mount) :]
            if self.versioned and len(segments) > 1 and segments[0] == "data":
                segments = segments[1:]
        return "/".join([*mount, *([part] if self.versioned else []), *segments])


def _with(part: str, segments: list[str]) -> list[str]:
    """*part* in the place of `data`, else after the first segment."""
    inner = range(1, len(segments) - 1)
    at = next((at for at in inner if segments[at] == "data"), None)
    return [*segments[:1], part, *segments[1:]] if at is None else [*segments[:at], part, *segments[at + 1 :]]


def _segments(path: str) -> list[str]:
    return [each for each in path.split("/") if each]


def spelt(path: str) -> str:
    """For a URL. Raises InvalidInput for what would lead elsewhere than it says."""
    segments = _segments(path)
    if len(path) > _LONGEST or not path.isprintable() or any(each in {".", ".."} for each in segments):
        raise InvalidInput(
            "The path cannot be used",
            why=f"it is longer than {_LONGEST} letters, or has `.` or `..` as a part, or letters that cannot be seen",
            hint="Write the name of the secret as Vault lists it.",
        )
    return "/".join(quote(each, safe="") for each in segments) + ("/" if path.endswith("/") else "")
