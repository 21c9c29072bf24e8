"""Argo CD's repository Secrets: what is configured for an address, and as whom we come there.

A Secret that cannot be read is a fault of that one repository: it is listed, using it is refused, and all others go on.
No text made here holds a value out of a Secret; keys and names are enough to find what is wrong.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.source.fields import Fields
from plumbline.source.local import Local, nowhere
from plumbline.source.repository import Repository
from plumbline.source.trust import Trust, trust
from plumbline.source.urls import checked, host_of, normalised, redacted, registry

LABEL: Final = "argocd.argoproj.io/secret-type"

Kind: TypeAlias = Literal["repository", "repository-write", "repo-creds", "repo-write-creds"]
KINDS: Final[tuple[Kind, ...]] = ("repository", "repository-write", "repo-creds", "repo-write-creds")
_NAME_OF_HOST: Final = re.compile(r"\[[^\]]*\]|[^:\[]+")
_SCHEME_ALONE: Final = re.compile(r"[a-z][a-z0-9+.-]*:")
TEMPLATES: Final[frozenset[Kind]] = frozenset({"repo-creds", "repo-write-creds"})


class Entry(msgspec.Struct, frozen=True):
    """One Secret. `fault` says why it cannot be used; what could be read is there nevertheless."""

    secret: str
    kind: Kind
    url: str = ""
    project: str = ""
    fields: Fields = Fields({})
    fault: str = ""


def entry(secret: JsonObject, local: Local = nowhere) -> Entry | None:
    """A repository Secret, or None where the label says that it is something else. Never raises."""
    metadata = _mapping(secret.get("metadata"))
    kind: Json = _mapping(metadata.get("labels")).get(LABEL)
    name = str(metadata.get("name", ""))
    if kind not in KINDS:
        return None
    content: dict[str, Plaintext] = {}
    faults: list[str] = []
    for key, value in _mapping(secret.get("data")).items():
        try:
            content[str(key)] = Plaintext(base64.b64decode(value, validate=True))
        except (binascii.Error, ValueError, TypeError):
            faults.append(f"the value of {key} is not base64")
    fields = Fields(content, template=kind in TEMPLATES)
    url, project = fields.legible("url"), fields.legible("project")
    if not faults:
        faults += _faults(fields, url, local, template=kind in TEMPLATES)
    return Entry(name, kind, url, project, fields, faults[0] if faults else "")


def choose(url: str, project: str, repositories: Iterable[Entry], templates: Iterable[Entry]) -> Repository:
    """What holds for an address in a project; an address that nobody configured is used without credentials.

    A repository of the project comes before one for all projects, and credentials of its own before those of the
    template with the longest prefix. Raises InvalidInput where the Secret that would hold cannot be used: going on
    without it would be going on as somebody else.
    """
    found = _own(url, project, repositories)
    if found is None:
        found = Entry("", "repository", url)
    elif found.fault:
        raise _unusable(found)
    if found.fields.credentials_of_its_own:
        return found.fields.repository(found.url)
    template = _template(url, templates)
    if template is None:
        return found.fields.repository(found.url)
    return _inheriting(found.fields, template, found.url)


class Repositories:
    """All that is configured, in one value that is replaced when a Secret or ConfigMap changes. Answers are kept."""

    def __init__(
        self,
        secrets: Iterable[JsonObject],
        trusted: Trust | None = None,
        *,
        submodules: bool = True,
        local: Local = nowhere,
    ) -> None:
        """*submodules* says whether those of all repositories come along: no Secret does."""
        found = [known for secret in secrets if (known := entry(secret, local)) is not None]
        self.local: Final = local
        self.entries: Final = tuple(sorted(found, key=lambda known: known.secret))
        self._trust = trusted or trust()
        self._submodules = submodules
        self._by_kind = {kind: tuple(known for known in self.entries if known.kind == kind) for kind in KINDS}
        self._by_url: dict[tuple[Kind, str], list[Entry]] = {}
        for known in self.entries:
            self._by_url.setdefault((known.kind, normalised(known.url)), []).append(known)
        self._chosen: dict[tuple[str, str, bool], Repository] = {}

    def choose(self, url: str, project: str, *, write: bool = False) -> Repository:
        """As the function of that name, with the host keys and certificates that hold for the address."""
        key = (url, project, write)
        repository = self._chosen.get(key)
        if repository is None:
            own: Kind = "repository-write" if write else "repository"
            template: Kind = "repo-write-creds" if write else "repo-creds"
            same = self._by_url.get((own, normalised(url)), ())
            repository = self._trusting(choose(url, project, same, self._by_kind[template]))
            self._chosen[key] = repository
        return repository

    def completed(self, described: Repository) -> Repository:
        """One that somebody describes and nobody has saved, as it would be used: with what a template has for it."""
        fields = Fields.of(described)
        template = None if fields.credentials_of_its_own else _template(described.url, self._by_kind["repo-creds"])
        if template is None:
            return self._trusting(described)
        return self._trusting(_inheriting(fields, template, described.url))

    def _trusting(self, repository: Repository) -> Repository:
        """With the host keys and certificates that hold for its address, and what holds for all."""
        return msgspec.structs.replace(
            repository,
            known_hosts=self._trust.known_hosts,
            ca_pem=self._trust.authorities(repository.url),
            submodules=self._submodules,
        )


def secret_for(repository: Repository, namespace: str, kind: Kind = "repository") -> JsonObject:
    """The Secret as `argocd repo add` writes it, or `argocd repocreds add` where the kind is that of a template."""
    prefix = _NAMES[kind]
    project = "" if kind in TEMPLATES else repository.project
    content = Fields.of(repository, template=kind in TEMPLATES)
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": f"{prefix}-{_fnv32a((repository.url + project).encode())}",
            "namespace": namespace,
            "labels": {LABEL: kind},
            "annotations": {"managed-by": "argocd.argoproj.io"},
        },
        "type": "Opaque",
        "data": {key: base64.b64encode(value.reveal()).decode() for key, value in sorted(content.values.items())},
    }


_NAMES: Final[Mapping[Kind, str]] = {
    "repository": "repo",
    "repository-write": "repo-write",
    "repo-creds": "creds",
    "repo-write-creds": "creds-write",
}


def _faults(fields: Fields, url: str, local: Local, *, template: bool) -> list[str]:
    faults = fields.faults()
    if faults or template:
        return faults
    if not url:
        return ["it has no url"]
    try:
        check_address(fields, url, local)
    except InvalidInput as refused:
        return [refused.why]
    return []


def check_address(fields: Fields, url: str, local: Local = nowhere) -> None:
    """Raise InvalidInput where *url* is not used. On this disk there may be Git repositories, and nothing else."""
    if fields.oci:
        registry(url)
    else:
        checked(url, local=fields.legible("type") in {"", "git"} and local(url) is not None)


def _own(url: str, project: str, repositories: Iterable[Entry]) -> Entry | None:
    wanted = normalised(url)
    for_all: Entry | None = None
    for known in repositories:
        if not known.url or normalised(known.url) != wanted:
            continue
        if known.project == project:
            return known
        if not known.project and for_all is None:
            for_all = known
    return for_all


def _template(url: str, templates: Iterable[Entry]) -> Entry | None:
    wanted = normalised(url)
    longest: Entry | None = None
    length = 0
    for known in templates:
        prefix = normalised(known.url)
        if len(prefix) > length and wanted.startswith(prefix) and _stays_on_host(prefix, url):
            longest, length = known, len(prefix)
    return longest


def _inheriting(own: Fields, template: Entry, url: str) -> Repository:
    """With the credentials of *template*, which those of a project may use and not lead elsewhere."""
    if template.fault:
        raise _unusable(template)
    project = own.legible("project")
    if project and own.leads_away(template.fields, url):
        raise InvalidInput(
            f"the repository {redacted(url)} is not used",
            why=f"it is of project {project} and would show what {template.secret} holds to a server that it names itself",
            hint="Give it credentials of its own, or leave out its proxy and the addresses where tokens are asked for.",
        )
    return own.completed(template.fields).repository(url, inherited=True)


def _stays_on_host(prefix: str, url: str) -> bool:
    """Whether a prefix that ends before the path means the host of the address, not merely the beginning of its name.

    Upstream sends what is meant for https://git.example to https://git.example.attacker.net as well.
    """
    rest = prefix.rpartition("://")[2]
    if "/" in rest or _SCHEME_ALONE.fullmatch(rest):
        return True
    host = _NAME_OF_HOST.match(rest.rpartition("@")[2])
    whole = url if "://" in url or "@" in url else f"oci://{url}"
    return host is not None and host[0].strip("[]") == host_of(whole)


def _unusable(known: Entry) -> InvalidInput:
    return InvalidInput(
        f"the repository {redacted(known.url) or known.secret} is not used",
        why=f"Secret {known.secret}: {known.fault}",
        hint="Correct the Secret; it is read again as soon as it changes.",
    )


def _mapping(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _fnv32a(content: bytes) -> int:
    digest = 0x811C9DC5
    for byte in content:
        digest = ((digest ^ byte) * 0x01000193) & 0xFFFFFFFF
    return digest
