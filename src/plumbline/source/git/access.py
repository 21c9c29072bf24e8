"""How a repository is reached: its address as `git` is told it, and as whom we come.

Nothing secret is ever an argument or part of an address. A header goes through the environment of the one process that
needs it; keys, which ssh and TLS want as files, lie in a folder of their own for as long as that process runs.
"""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from shlex import quote
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from plumbline.base.errors import InvalidInput, NotFound, Unauthenticated
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import scratch
from plumbline.source.repository import Credentials, Repository
from plumbline.source.urls import checked, without_credentials

_FORGE_USER: Final = "x-access-token"
"""Forges take a token as the password of any user; upstream sends this one where none is named."""

_SSH_OPTIONS: Final = (
    "BatchMode=yes",
    "ClearAllForwardings=yes",
    "ConnectTimeout=15",
    "ControlMaster=no",
    "ControlPath=none",
    "ForwardAgent=no",
    "GlobalKnownHostsFile=/dev/null",
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "PermitLocalCommand=no",
    "PreferredAuthentications=publickey",
    "ProxyCommand=none",
    "ServerAliveCountMax=3",
    "ServerAliveInterval=10",
)


class Access(NamedTuple):
    address: str
    protocols: str
    """What git may speak, redirects included."""
    settings: tuple[tuple[str, str | Plaintext], ...] = ()
    environment: Mapping[str, str] = {}
    readable: tuple[Path, ...] = ()
    secrets: tuple[Plaintext, ...] = ()


class Place(NamedTuple):
    """Where a repository is, without who we are."""

    address: str
    scheme: str
    username: str = ""
    password: Plaintext | None = None


def place(repository: Repository) -> Place:
    """InvalidInput for what git must not be told. A local path only where settings say that it stands there."""
    url = repository.stands_at or repository.url
    checked(url, local=bool(repository.stands_at))
    if url.startswith("/"):
        return Place(url, "file")
    if url.startswith("file:"):
        return Place(unquote(urlsplit(url).path), "file")
    bare, username, password = without_credentials(url)
    scheme = bare.partition("://")[0].lower() if "://" in bare else "ssh"
    if scheme not in {"http", "https", "ssh"}:
        raise InvalidInput(f"Cannot fetch {bare}", why=f"there is no Git behind {scheme} addresses")
    return Place(bare, scheme, username, password)


@asynccontextmanager
async def access(repository: Repository, credentials: Credentials, folder: Path) -> AsyncIterator[Access]:
    """What one process needs, for as long as it runs. *folder* is where files with keys may be made."""
    there = place(repository)
    if there.scheme == "file":
        local = Path(there.address)
        if not await asyncio.to_thread(_is_there, local):
            raise NotFound(f"Cannot fetch {repository.url}", why=f"it stands at {local}, and there is nothing")
        yield Access(there.address, "file", readable=(local,))
        return
    files = _ssh_files(repository, credentials) if there.scheme == "ssh" else _tls_files(repository, credentials)
    if not files:
        yield _composed(there, repository, credentials, {})
        return
    async with scratch(folder) as private:
        placed = {name: private / name for name in files}
        await asyncio.to_thread(_write, {placed[name]: content for name, content in files.items()})
        found = _composed(there, repository, credentials, placed)
        yield found._replace(readable=(private,))


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that no disk can have
        return False


def _write(files: Mapping[Path, bytes]) -> None:
    for path, content in files.items():
        path.touch(mode=0o600)
        path.write_bytes(content)


def _composed(there: Place, repository: Repository, credentials: Credentials, files: Mapping[str, Path]) -> Access:
    if there.scheme == "ssh":
        environment = {"GIT_SSH_COMMAND": _ssh(repository, files), "GIT_SSH_VARIANT": "ssh"}
        key = credentials.ssh_private_key
        return Access(there.address, "ssh", environment=environment, secrets=(key,) if key else ())
    header, secrets = authorization(there, repository, credentials)
    settings: list[tuple[str, str | Plaintext]] = [
        # Git repeats the header to wherever it is redirected, and asks there whatever only we can reach.
        ("http.followRedirects", "false"),
        ("http.sslVerify", "false" if repository.insecure else "true"),
    ]
    settings += [("http.extraHeader", header)] if header else []
    settings += [(_TLS[name], str(path)) for name, path in files.items()]
    if repository.proxy:
        settings.append(("http.proxy", Plaintext(repository.proxy)))
    environment = {"NO_PROXY": repository.no_proxy, "no_proxy": repository.no_proxy} if repository.no_proxy else {}
    return Access(there.address, "http:https", tuple(settings), environment, secrets=secrets)


def authorization(
    there: Place, repository: Repository, credentials: Credentials
) -> tuple[Plaintext | None, tuple[Plaintext, ...]]:
    """The header to send, if any, and what of it has to be masked wherever it turns up."""
    if credentials.bearer_token:
        token = credentials.bearer_token
        return Plaintext(b"Authorization: Bearer " + token.reveal()), (token,)
    password = credentials.password or there.password
    if not password:
        issuer = "GitHub" if credentials.github_app else credentials.cloud
        if issuer:
            raise Unauthenticated(
                f"Cannot fetch {repository.url}", why=f"nobody here asks {issuer} for a token", hint="Give it a token."
            )
        return None, ()
    user = credentials.username or there.username or _FORGE_USER
    basic = Plaintext(base64.b64encode(user.encode() + b":" + password.reveal()))
    return Plaintext(b"Authorization: Basic " + basic.reveal()), (password, basic)


_TLS: Final = {"ca.pem": "http.sslCAInfo", "client.pem": "http.sslCert", "client.key": "http.sslKey"}


def _tls_files(repository: Repository, credentials: Credentials) -> dict[str, bytes]:
    files = {}
    if repository.ca_pem and not repository.insecure:
        files["ca.pem"] = _system_certificates() + repository.ca_pem.encode() + b"\n"
    if credentials.tls_certificate and credentials.tls_key:
        files["client.pem"] = credentials.tls_certificate.encode() + b"\n"
        files["client.key"] = credentials.tls_key.reveal().strip() + b"\n"
    return files


def _system_certificates() -> bytes:
    """Those that git would trust by itself: naming a file of certificates takes them away."""
    bundle = ssl.get_default_verify_paths().cafile
    return Path(bundle).read_bytes() + b"\n" if bundle and Path(bundle).is_file() else b""


def _ssh_files(repository: Repository, credentials: Credentials) -> dict[str, bytes]:
    files = {"known_hosts": repository.known_hosts.encode() + b"\n"}
    if credentials.ssh_private_key:
        # As it comes out of a Secret, its last line end may be missing and the others may be of another system.
        files["key"] = credentials.ssh_private_key.reveal().replace(b"\r\n", b"\n").strip() + b"\n"
    return files


def _ssh(repository: Repository, files: Mapping[str, Path]) -> str:
    hosts = "/dev/null" if repository.insecure else str(files["known_hosts"])
    options = [*_SSH_OPTIONS, f"UserKnownHostsFile={hosts}"]
    options.append(f"StrictHostKeyChecking={'no' if repository.insecure else 'yes'}")
    words = ["ssh", "-F", "/dev/null", *(word for option in options for word in ("-o", option))]
    words += ["-i", str(files["key"])] if "key" in files else []
    return " ".join(quote(word) for word in words)
