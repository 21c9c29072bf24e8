"""Addresses of repositories: which are used at all, which mean the same repository, and how they are shown.

An address comes from whoever may write an Application, and ends up as an argument of `git` and `ssh`. So `checked` lets
through a few forms and nothing else; what it returns begins with no dash, names no helper program and runs over no line
end. Everything else here is total: any text has a normal form, a host (perhaps none) and a printable form.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import unquote

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import MASK, redact_text
from plumbline.source.gourl import lowered, rewritten

LONGEST: Final = 2048

_SCHEMES: Final = frozenset({"https", "http", "ssh", "oci"})
_WRITTEN_OUT: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^#]*)")
_SCP: Final = re.compile(r"([^/:@]+)@(\[[^\]/]*\]|[^/:@\[\]]+):(.+)")
_SSH_USER: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,127}")
_USERINFO: Final = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}")
_HOST: Final = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?|\[[0-9A-Fa-f:.]{2,45}\]")
_PORT: Final = re.compile(r"[0-9]{1,5}")
_HIGHEST_PORT: Final = 65535
_HIDDEN: Final = re.compile(r"%(?:2[D-Fd-f]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaCcFf]|6[1-9A-Fa-f]|7[0-9Aa])")
"""Letters, digits, dots, slashes and their like, which nobody has to escape."""
_DOTS: Final = frozenset({".", ".."})
_LOCAL: Final = "file://"


class Parts(NamedTuple):
    """What an address of one of the accepted forms is made of; `scheme` is empty for `user@host:path`."""

    scheme: str
    userinfo: str
    host: str
    port: str
    path: str


class Split(NamedTuple):
    """An address without the credentials that were in it."""

    url: str
    username: str
    password: Plaintext | None


def checked(url: str, *, local: bool = False) -> str:
    """The address itself where it may be handed to a tool, else InvalidInput that shows it without credentials.

    Local paths only with *local*: no Application may read the disk that we run on.
    """
    why = _fault(url, local=local)
    if why:
        raise InvalidInput(
            f"the address {redacted(url[:LONGEST])!r} is not used",
            why=why,
            hint="Write it as https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH or oci://HOST/PATH.",
        )
    return url


def registry(url: str) -> str:
    """The address of an OCI registry, which people also write without its scheme, checked and with it."""
    return checked(url if "://" in url else f"oci://{url}")


@lru_cache(maxsize=4096)
def normalised(url: str) -> str:
    """The form in which upstream compares addresses: lower case, without `.git`, ssh in one spelling.

    What is no address stays as it is. The whole path loses its case, so this says which credentials and projects an
    address belongs to, not where to store what it holds: that is `mirror_key`.
    """
    text = lowered(url)
    ssh = _ssh_form(text)
    if ssh and not text.startswith("ssh://"):
        text = "ssh://" + text.replace(":", "/", 1)
    return (rewritten(text.removesuffix(".git")) or "").removeprefix("ssh://") or url


@lru_cache(maxsize=4096)
def mirror_key(url: str) -> str:
    """Equal for spellings of one repository, different for repositories that differ in the case of a letter.

    Holds no credentials.
    """
    parts = _parts(url)
    if parts is None:
        return url.removeprefix(_LOCAL).rstrip("/")
    path = parts.path.rstrip("/").removesuffix(".git")
    if not parts.scheme and not path.startswith("/"):
        # To an ssh server this is below the home of the user, and ssh://USER@HOST/PATH is not.
        path = f"/~/{path}"
    ssh = parts.scheme in {"", "ssh"}
    scheme = "ssh" if ssh else parts.scheme
    port = "" if _DEFAULT_PORTS.get(scheme) == parts.port else parts.port
    user = f"{parts.userinfo.partition(':')[0]}@" if ssh and parts.userinfo else ""
    return f"{scheme}://{user}{parts.host.lower()}{port and ':'}{port}{path}"


_DEFAULT_PORTS: Final = {"ssh": "22", "https": "443", "http": "80", "oci": "443"}


def host_of(url: str) -> str:
    """The host in lower case, without port and brackets; empty where there is none."""
    parts = _parts(url)
    return parts.host.strip("[]").lower() if parts else ""


def same_server(one: str, other: str) -> bool:
    """Whether both are reached in the same way, at the same host and port. A path on the disk is on no server."""
    server = _server(one)
    return server is not None and server == _server(other)


def roundabout(url: str) -> bool:
    """Whether its path is not what it seems, so that a pattern says nothing about it.

    Whoever is asked takes `..` and empty parts out, and reads `%62` as a letter.
    """
    parts = _parts(url)
    path = parts.path.partition("?")[0] if parts else url.removeprefix(_LOCAL)
    inner = path.removeprefix("/").removesuffix("/").split("/")
    return _HIDDEN.search(path) is not None or (len(inner) > 1 and "" in inner) or not _DOTS.isdisjoint(inner)


def without_credentials(url: str) -> Split:
    """Take user and password out of an address. The user of an ssh address says where to go, and stays."""
    parts = _parts(url)
    if parts is None or not parts.userinfo or parts.scheme in {"", "ssh"}:
        return Split(url, "", None)
    username, colon, password = parts.userinfo.partition(":")
    bare = url.replace(f"{parts.userinfo}@", "", 1)
    return Split(bare, unquote(username), Plaintext(unquote(password)) if colon else None)


def redacted(url: str) -> str:
    """The address for people: without passwords, without tokens, whatever the text is. A user of ssh may be seen."""
    scheme, separator, rest = url.rpartition("://") if url.count("://") == 1 else ("", "", url)
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in authority:
        userinfo = authority.rpartition("@")[0]
        visible = _SSH_USER.fullmatch(userinfo) and (not separator or scheme.lower() == "ssh")
        shown = rest if visible else MASK + rest[len(userinfo) :]
    elif "@" in rest and not _authority(authority):
        # No host: a password that holds a slash, of which only the last @ tells the end.
        shown = f"{MASK}@{rest.rpartition('@')[2]}"
    else:
        shown = rest
    return redact_text(f"{scheme}{separator}{shown}")


def _server(url: str) -> tuple[str, str, str] | None:
    parts = _parts(url)
    if parts is None:
        return None
    scheme = parts.scheme or "ssh"
    return scheme, parts.host.strip("[]").lower(), parts.port or _DEFAULT_PORTS.get(scheme, "")


def _ssh_form(text: str) -> bool:
    """Upstream's test: neither slash nor colon before the last @, and something behind it."""
    before, at, after = text.removeprefix("ssh://").rpartition("@")
    return bool(at and after) and "/" not in before and ":" not in before


def _parts(url: str) -> Parts | None:
    """None where it has none of the accepted forms; whether they may be used is for `_fault` to say."""
    match = _WRITTEN_OUT.fullmatch(url)
    if match:
        scheme, authority, path = match.groups()
        userinfo, _, place = authority.rpartition("@")
        found = _authority(place)
        return Parts(scheme.lower(), userinfo, *found, path) if found else None
    match = _SCP.fullmatch(url)
    if match and _HOST.fullmatch(match[2]) and "::" not in url.partition("@")[0]:
        return Parts("", match[1], match[2], "", match[3])
    return None


def _authority(text: str) -> tuple[str, str] | None:
    """Host and port."""
    match = _HOST.match(text)
    if match is None:
        return None
    host, rest = match[0], text[match.end() :]
    if not rest:
        return host, ""
    port = rest.removeprefix(":")
    fits = rest.startswith(":") and _PORT.fullmatch(port) and 0 < int(port) <= _HIGHEST_PORT
    return (host, port) if fits else None


def _fault(url: str, *, local: bool) -> str:  # noqa: PLR0911 - each reason is one
    """Why it is not used, or nothing."""
    if len(url) > LONGEST:
        return f"it is longer than {LONGEST} characters"
    if not url.isprintable() or url != url.strip() or "\\" in url:
        return "it holds a control character, a line end, a backslash or space around it"
    if url.startswith("-"):
        return "it begins with a dash, which a tool would take for an option"
    if local and (url.startswith(("/", f"{_LOCAL}/"))):
        return ""
    parts = _parts(url)
    if parts is None:
        return _shapeless(url)
    if parts.scheme and parts.scheme not in _SCHEMES:
        return f"the scheme {parts.scheme} is not one of {', '.join(sorted(_SCHEMES))}"
    if parts.host.startswith("-") or parts.path.startswith("-"):
        return "its host or path begins with a dash, which ssh would take for an option"
    if parts.scheme in {"", "ssh"}:
        return _ssh_fault(parts)
    if _USERINFO.sub("", parts.userinfo):
        return "its user or password holds a character that has to be percent-encoded"
    if " " in parts.path:
        return "it holds a space, which has to be written as %20"
    return ""


def _ssh_fault(parts: Parts) -> str:
    if parts.userinfo and not _SSH_USER.fullmatch(parts.userinfo):
        return "what stands before the @ is no name of an ssh user"
    if parts.scheme and parts.path in {"", "/"}:
        return "it names a host, but no repository"
    return ""


def _shapeless(url: str) -> str:
    if "::" in url.partition("/")[0]:
        return "it would make git run a program"
    scheme = url.partition(":")[0].lower()
    if scheme == "file" or url.startswith("/"):
        return "it is a path on the disk of the controller, which was not started with --local-git and a folder that it is in"
    return "it has no scheme, or its host or port cannot be one"
