"""The first commit of a repository, as a stream that `git fast-import` reads: all of it becomes visible, or nothing."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

_FILE: Final = "100644"


class Author(NamedTuple):
    name: str
    email: str


class Beginning(NamedTuple):
    """What a repository begins with."""

    files: Mapping[str, bytes]
    """By their paths, which are ours and not somebody's: they are written as they are."""
    message: str
    author: Author
    at_s: int
    """Since 1970, in UTC."""


def import_stream(beginning: Beginning, branch: str) -> bytes:
    """One commit without a parent on *branch*; git refuses it where there is such a branch with another history."""
    return b"".join(_parts(beginning, branch))


def _parts(beginning: Beginning, branch: str) -> Iterator[bytes]:
    author = beginning.author
    yield f"commit refs/heads/{branch}\n".encode()
    yield f"committer {author.name} <{author.email}> {beginning.at_s} +0000\n".encode()
    yield _counted(beginning.message.encode())
    for path, content in sorted(beginning.files.items()):
        yield f"M {_FILE} inline {path}\n".encode()
        yield _counted(content)
    # Without this a stream that was cut short would count as a whole one.
    yield b"done\n"


def _counted(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)
