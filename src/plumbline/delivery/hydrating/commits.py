"""What is told of the commit that manifests were made from. Pure."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parseaddr
from typing import Final
from urllib.parse import urlsplit

import msgspec

from plumbline.base.clock import rfc3339
from plumbline.base.json import Json, JsonObject, decode
from plumbline.source.git.values import Commit

_TRAILER: Final = "Argocd-reference-commit-"
_ANY_TRAILER: Final = re.compile(r"[A-Za-z0-9-]+[ \t]*:")
_OF_GIT: Final = ("Signed-off-by: ", "(cherry picked from commit ")
_SHA: Final = re.compile(r"[0-9a-f]{5,40}")
_AT_LEAST_A_QUARTER: Final = 3


class Reference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A commit elsewhere that brought this one about, as its trailers say."""

    author: str = ""
    date: str = ""
    subject: str = ""
    body: str = ""
    sha: str = ""
    repo_url: str = msgspec.field(name="repoUrl", default="")


class Dry(msgspec.Struct, frozen=True, kw_only=True):
    """A commit of the dry source."""

    repo_url: str
    sha: str
    author: str = ""
    date: str = ""
    subject: str = ""
    body: str = ""
    """Without the trailers that became references."""
    references: tuple[Reference, ...] = ()

    def written(self) -> JsonObject:
        """As hydrator.metadata and templates have it."""
        fields: JsonObject = {"repoURL": self.repo_url, "drySha": self.sha, "author": self.author, "date": self.date}
        fields |= {"subject": self.subject, "body": self.body}
        found = {name: value for name, value in fields.items() if value}
        references: list[Json] = [{"commit": msgspec.to_builtins(each)} for each in self.references]
        return {**found, "references": references} if references else found


def described(url: str, commit: Commit) -> Dry:
    subject, _, body = commit.message.partition("\n\n")
    kept = [line for line in body.splitlines() if not _read(line)]
    return Dry(
        repo_url=url,
        sha=commit.sha,
        author=commit.author,
        date=rfc3339(commit.date.astimezone(UTC)),
        subject=subject,
        body="".join(f"{line}\n" for line in kept),
        references=_references(commit.message),
    )


def _references(message: str) -> tuple[Reference, ...]:
    said: dict[str, str] = {}
    for line in _trailers(message):
        said |= _read(line)
    return (Reference(**said),) if said else ()


def _trailers(message: str) -> list[str]:
    """The last paragraph, where it is one of trailers, with lines that go on put together."""
    paragraphs = re.split(r"\n[ \t]*\n", message.strip())
    if len(paragraphs) == 1:
        return []
    lines: list[str] = []
    for line in paragraphs[-1].splitlines():
        if lines and line[:1].isspace():
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    found = [line for line in lines if _ANY_TRAILER.match(line) or line.startswith(_OF_GIT)]
    others = len(lines) - len(found)
    gits = any(line.startswith(_OF_GIT) for line in found)
    return found if not others or (gits and len(found) * _AT_LEAST_A_QUARTER >= others) else []


def _read(line: str) -> dict[str, str]:
    """The field of a reference that a trailer says; nothing where it is none, or none that can be used."""
    key, separator, value = line.partition(": ")
    if not separator or not key.startswith(_TRAILER):
        return {}
    field = _FIELDS.get(key.removeprefix(_TRAILER))
    if field is None:
        return {}
    name, read = field
    found = read(value)
    return {} if found is None else {name: found}


def _address(text: str) -> str | None:
    name, address = parseaddr(text)
    if "@" not in address:
        return None
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}" <{address}>' if name else f"<{address}>"


def _date(text: str) -> str | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return text if moment.tzinfo is not None else None


def _json_text(text: str) -> str | None:
    try:
        found = decode(text.encode())
    except msgspec.DecodeError:
        return None
    return found if isinstance(found, str) else None


def _url(text: str) -> str | None:
    try:
        urlsplit(text)
    except ValueError:
        return None
    return text


_FIELDS: Final[Mapping[str, tuple[str, Callable[[str], str | None]]]] = {
    "repourl": ("repo_url", _url),
    "author": ("author", _address),
    "date": ("date", _date),
    "subject": ("subject", str),
    "body": ("body", _json_text),
    "sha": ("sha", lambda text: text if _SHA.fullmatch(text) else None),
}
