"""As whom a GitRepository comes to its repository: what its Secrets say, and nobody else's.

Mirrors are shared by all that name a repository, credentials are not: each object asks as a project of its own, whose name
no AppProject can have. What is kept here lives in memory and is read from Secrets at every look.
"""

import base64
import binascii
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias
from urllib.parse import quote, unquote, urlsplit

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.base.redaction import known
from plumbline.kernel.cache import Key
from plumbline.kinds.flux.gitrepository import GitRepositorySpec
from plumbline.source.repository import Credentials, GitHubApp, Repository
from plumbline.source.trust import stock_known_hosts
from plumbline.source.urls import checked, host_of, mirror_key
from plumbline.terraform.sources.trouble import AUTHENTICATION, PROVIDER, URL, Trouble
from plumbline.terraform.sources.unlocking import unlocked

ReadSecret: TypeAlias = Callable[[str, str], Awaitable[JsonObject | None]]
"""The Secret of a namespace and a name, None where there is none."""
Entries: TypeAlias = Mapping[str, Plaintext]

_PREFIX: Final = "gitrepository/"
_CONFIDENTIAL: Final = ("password", "bearerToken", "identity", "tls.key", "githubAppPrivateKey")
_APP: Final = "secretRef with github app data must be specified when provider is set to github"


def project_of(key: Key) -> str:
    """No AppProject has a name with a slash in it."""
    return f"{_PREFIX}{key[0]}/{key[1]}"


def address(spec: GitRepositorySpec) -> str:
    """Where the repository is. Over ssh one comes as git where nobody says otherwise."""
    parts = urlsplit(spec.url)
    bare_ssh = parts.scheme == "ssh" and "@" not in parts.netloc
    return spec.url.replace("://", "://git@", 1) if bare_ssh else spec.url


class Accounts:
    """What `GitSources` is told when it asks as whom to come."""

    def __init__(self) -> None:
        self._held: dict[str, Repository] = {}

    def put(self, key: Key, repository: Repository) -> None:
        self._held[project_of(key)] = repository

    def forget(self, key: Key) -> None:
        self._held.pop(project_of(key), None)

    def choose(self, url: str, project: str) -> Repository | None:
        """For a project that is a GitRepository; None for all others, and where nothing is known.

        Submodules on the same host are asked for as the repository is, those elsewhere as nobody. Where the one that a
        mirror was last fetched for is gone, anybody else whose repository it is may ask on.
        """
        if not project.startswith(_PREFIX):
            return None
        held = self._held.get(project) or self._other(url)
        if held is None or mirror_key(held.url) == mirror_key(url):
            return held
        if host_of(held.url) == host_of(url) and urlsplit(held.url).scheme == urlsplit(url).scheme:
            return msgspec.structs.replace(held, url=url)
        return Repository(url, submodules=held.submodules, known_hosts=stock_known_hosts())

    def _other(self, url: str) -> Repository | None:
        wanted = mirror_key(url)
        return next((each for each in self._held.values() if mirror_key(each.url) == wanted), None)


async def account(
    spec: GitRepositorySpec, namespace: str, read: ReadSecret, *, submodules: bool
) -> Repository | Trouble:
    """The repository as this object comes to it. Nothing of a Secret's values is in what is said about trouble."""
    url = address(spec)
    try:
        checked(url)
        proxy = await _proxy(spec, namespace, read)
        entries = await _secret(spec, namespace, read)
    except InvalidInput as wrong:
        return Trouble(URL, f"failed to parse url: {wrong.why}", final=True)
    for found in (proxy, entries):
        if isinstance(found, Trouble):
            return found
    assert not isinstance(proxy, Trouble) and not isinstance(entries, Trouble)  # noqa: S101, PT018 - looked at above
    base = Repository(url, submodules=submodules, proxy=proxy)
    if spec.provider in {"aws", "azure"}:
        return Trouble(PROVIDER, f"provider '{spec.provider}' is not served here; use a secretRef", final=True)
    if spec.provider == "github":
        return _with_app(base, entries)
    return _signed_in(base, entries)


async def _secret(spec: GitRepositorySpec, namespace: str, read: ReadSecret) -> Entries | Trouble:
    if spec.secret_ref is None:
        return {}
    return await entries_of(read, namespace, spec.secret_ref.name)


async def entries_of(read: ReadSecret, namespace: str, name: str) -> Entries | Trouble:
    """What is in a Secret, by key."""
    secret = await read(namespace, name)
    if secret is None:
        return Trouble(AUTHENTICATION, f"failed to get secret '{namespace}/{name}': secrets \"{name}\" not found")
    entries: dict[str, Plaintext] = {}
    for key, value in (secret.get("data") or {}).items():
        try:
            entries[key] = Plaintext(base64.b64decode(value, validate=True))
        except (binascii.Error, ValueError, TypeError):
            return Trouble(AUTHENTICATION, f"the key {key} of secret '{namespace}/{name}' is not base64")
    for key in _CONFIDENTIAL:
        if key in entries:
            known.add(entries[key])
    return entries


async def _proxy(spec: GitRepositorySpec, namespace: str, read: ReadSecret) -> str | Trouble:
    if spec.proxy_secret_ref is None:
        return ""
    entries = await entries_of(read, namespace, spec.proxy_secret_ref.name)
    if isinstance(entries, Trouble):
        return entries._replace(message=f"failed to configure proxy options: {entries.message}")
    where = _text(entries, "address")
    parts = urlsplit(where)
    if not parts.scheme or not parts.hostname:
        return Trouble(AUTHENTICATION, "failed to configure proxy options: the secret has no usable key 'address'")
    user, password = _text(entries, "username"), entries.get("password")
    if not user:
        return where
    if password:
        known.add(password)
    signed = quote(user, safe="") + (":" + quote(password.reveal(), safe="") if password else "")
    return where.replace("://", f"://{signed}@", 1)


def _signed_in(base: Repository, entries: Entries) -> Repository | Trouble:
    if "githubAppID" in entries or "githubAppClientID" in entries:
        return Trouble(PROVIDER, "the secretRef has github app data but provider is not set to github")
    if base.url.startswith("ssh://"):
        return _over_ssh(base, entries)
    carried = urlsplit(base.url)
    user = _text(entries, "username") or unquote(carried.username or "")
    if entries.get("password") and not user:
        return _invalid(base, "'password' requires 'username' to be set")
    bearer = entries.get("bearerToken")
    credentials = Credentials(
        username="" if bearer else user,
        password=None if bearer else entries.get("password"),
        bearer_token=bearer,
    )
    return _with_certificates(msgspec.structs.replace(base, credentials=credentials), entries)


def _over_ssh(base: Repository, entries: Entries) -> Repository | Trouble:
    identity, hosts = entries.get("identity"), _text(entries, "known_hosts")
    if not identity:
        return _invalid(base, "'identity' is required")
    if not hosts:
        return _invalid(base, "'known_hosts' is required")
    opened = unlocked(identity, entries.get("password"))
    if isinstance(opened, str):
        return Trouble(AUTHENTICATION, f"failed to configure authentication options: {opened}")
    return msgspec.structs.replace(base, credentials=Credentials(ssh_private_key=opened), known_hosts=hosts)


def _with_certificates(base: Repository, entries: Entries) -> Repository | Trouble:
    authority = _text(entries, "ca.crt") or _text(entries, "caFile")
    certificate, key = _text(entries, "tls.crt"), entries.get("tls.key")
    if bool(certificate) != bool(key):
        return _invalid(base, "'tls.crt' and 'tls.key' are only good together")
    credentials = base.credentials
    if certificate:
        credentials = msgspec.structs.replace(credentials, tls_certificate=certificate, tls_key=key)
    return msgspec.structs.replace(base, credentials=credentials, ca_pem=authority)


def _with_app(base: Repository, entries: Entries) -> Repository | Trouble:
    key, app = entries.get("githubAppPrivateKey"), _text(entries, "githubAppID")
    if not entries:
        return Trouble(PROVIDER, _APP, final=True)
    if not key or not app.isdecimal():
        return Trouble(PROVIDER, f"{_APP}: githubAppID is a number, githubAppPrivateKey its key")
    installation, owner = _text(entries, "githubAppInstallationID"), _text(entries, "githubAppInstallationOwner")
    if bool(installation) == bool(owner):
        return Trouble(
            PROVIDER, "exactly one of githubAppInstallationOwner and githubAppInstallationID must be provided"
        )
    named = urlsplit(base.url).path.strip("/").partition("/")[0]
    if owner and owner.lower() != named.lower():
        return Trouble(PROVIDER, f"the installation of {owner} is not that of {named}: use githubAppInstallationID")
    if installation and not installation.isdecimal():
        return Trouble(PROVIDER, "githubAppInstallationID is not a number")
    made = GitHubApp(int(app), key, int(installation or 0), _text(entries, "githubAppBaseURL"))
    return _with_certificates(msgspec.structs.replace(base, credentials=Credentials(github_app=made)), entries)


def _invalid(base: Repository, why: str) -> Trouble:
    scheme = urlsplit(base.url).scheme
    return Trouble(AUTHENTICATION, f"failed to configure authentication options: invalid '{scheme}' auth option: {why}")


def _text(entries: Entries, key: str) -> str:
    value = entries.get(key)
    return value.reveal().decode("utf-8", "replace").strip() if value else ""
