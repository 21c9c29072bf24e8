"""How each forge spells comments on pull requests: addresses, fields, limits. Values only."""

from typing import Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from plumbline.base.json import Json, JsonObject

Forge: TypeAlias = Literal["github", "gitlab", "gitea", "bitbucket"]

FORGES: Final[tuple[Forge, ...]] = ("github", "gitlab", "gitea", "bitbucket")
LIMITS: Final = {"github": 65_536, "gitlab": 999_900, "gitea": 65_536, "bitbucket": 32_768, "azure": 150_000}
"""Characters of one comment."""
APIS: Final = {
    "github": "https://api.github.com",
    "gitlab": "https://gitlab.com/api/v4",
    "gitea": "",
    "bitbucket": "https://api.bitbucket.org/2.0",
}


class Comment(NamedTuple):
    id: str
    body: str
    author: str
    program: bool
    """Whether its author is no person."""


class Spelling(NamedTuple):
    comments: str
    """Where comments of a pull request are listed and made."""
    comment: str
    """Where one of them is changed."""
    changing: str
    page: str
    """What asks for the next page; empty where there is one only."""
    authorization: tuple[str, str]
    """The header, and what comes before the token."""
    marker: str


_MARKER: Final = "<!-- plumbline:{name} -->"
_SPELLINGS: Final[dict[str, Spelling]] = {
    "github": Spelling(
        "/repos/{repository}/issues/{change}/comments",
        "/repos/{repository}/issues/comments/{id}",
        "PATCH",
        "?per_page=100&page={page}",
        ("Authorization", "Bearer "),
        _MARKER,
    ),
    "gitea": Spelling(
        "/repos/{repository}/issues/{change}/comments",
        "/repos/{repository}/issues/comments/{id}",
        "PATCH",
        "",
        ("Authorization", "token "),
        _MARKER,
    ),
    "gitlab": Spelling(
        "/projects/{repository}/merge_requests/{change}/notes",
        "/projects/{repository}/merge_requests/{change}/notes/{id}",
        "PUT",
        "?per_page=100&page={page}",
        ("PRIVATE-TOKEN", ""),
        _MARKER,
    ),
    "bitbucket": Spelling(
        "/repositories/{repository}/pullrequests/{change}/comments",
        "/repositories/{repository}/pullrequests/{change}/comments/{id}",
        "PUT",
        "?pagelen=100&page={page}",
        ("Authorization", "Bearer "),
        # Bitbucket shows HTML as it is written, but hides this, which every Markdown does.
        "[//]: # (plumbline:{name})",
    ),
}


def spelling(forge: Forge) -> Spelling:
    return _SPELLINGS[forge]


def address(forge: Forge, template: str, **parts: str) -> str:
    kept = "" if forge == "gitlab" else "/"
    return template.format(**{name: quote(value, safe=kept) for name, value in parts.items()})


def outgoing(forge: Forge, body: str) -> JsonObject:
    return {"content": {"raw": body}} if forge == "bitbucket" else {"body": body}


def incoming(forge: Forge, reply: Json) -> list[Comment]:
    """The comments of one page; what has another shape is left out."""
    listed = reply.get("values") if isinstance(reply, dict) else reply
    return [_comment(forge, each) for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def _comment(forge: Forge, each: JsonObject) -> Comment:
    author = _part(each, "author" if forge == "gitlab" else "user")
    text = _part(each, "content").get("raw") if forge == "bitbucket" else each.get("body")
    return Comment(str(each.get("id", "")), str(text or ""), identity(forge, author), _programmed(author))


def identity(forge: Forge, person: JsonObject) -> str:
    return str(person.get("uuid" if forge == "bitbucket" else "id", ""))


def _programmed(author: JsonObject) -> bool:
    return str(author.get("type", "")) in {"Bot", "app_user"}


def _part(value: JsonObject, name: str) -> JsonObject:
    found = value.get(name)
    return found if isinstance(found, dict) else {}
