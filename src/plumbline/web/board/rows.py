"""One Application as a row of a list, read from its bytes without decoding the rest."""

from sys import intern
from typing import Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kernel.cache import Cached, Key

_REFRESH: Final = "argocd.argoproj.io/refresh"
_MESSAGE_CHARS: Final = 200
_UNKNOWN: Final = "Unknown"
_DEFAULT: Final = "default"
_ABSENT: Final = msgspec.Raw(b"")
_NULL: Final = b"null"


class Source(msgspec.Struct, frozen=True, gc=False):
    repo: str = ""
    path: str = ""
    chart: str = ""
    revision: str = ""

    def shaped(self) -> JsonObject:
        said = {"repoURL": self.repo, "path": self.path, "chart": self.chart, "targetRevision": self.revision}
        return {name: value for name, value in said.items() if value}


class Row(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Times are texts, as Kubernetes writes them: they sort as they are. What many rows share is there once."""

    name: str
    namespace: str
    uid: str
    version: str
    created: str = ""
    deleting: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    refresh: str = ""
    project: str = _DEFAULT
    server: str = ""
    """Address of the destination; empty where it is by name."""
    cluster: str = ""
    """Name of the destination; empty where it is by address."""
    into: str = ""
    """Namespace of the destination."""
    sources: tuple[Source, ...] = ()
    several: bool = False
    """Whether they are written as `sources`."""
    automated: bool = False
    sync: str = _UNKNOWN
    revisions: tuple[str, ...] = ()
    health: str = _UNKNOWN
    health_since: str = ""
    health_message: str = ""
    """Its beginning."""
    phase: str = ""
    asked: bool = False
    """Whether an operation waits to be begun."""
    started: str = ""
    synced: str = ""
    """When the last operation ended."""
    conditions: int = 0
    bare: bool = False
    """Whether parts of its status that every Application has are not written yet."""
    unreadable: bool = False
    """Whether the object is not of the types that its kind has, so that little of it is here."""
    relevant: int = 0
    status: int = 0

    @property
    def key(self) -> Key:
        return self.namespace, self.name

    def same(self, other: "Row") -> bool:
        """Whether a list would show nothing new."""
        return msgspec.structs.replace(other, version=self.version, relevant=self.relevant, status=self.status) == self


class _Health(msgspec.Struct, rename="camel"):
    status: str | None = None
    message: str | None = None
    last_transition_time: str | None = None


class _Sync(msgspec.Struct):
    status: str | None = None
    revision: str | None = None
    revisions: list[str] | None = None


class _Operation(msgspec.Struct, rename="camel"):
    phase: str | None = None
    started_at: str | None = None
    finished_at: str | None = None


class _Status(msgspec.Struct, rename="camel"):
    sync: _Sync | None = None
    health: _Health | None = None
    operation_state: _Operation | None = None
    conditions: list[msgspec.Raw] | None = None
    summary: msgspec.Raw = _ABSENT


class _Source(msgspec.Struct, rename="camel"):
    repo_url: str | None = msgspec.field(name="repoURL", default=None)
    path: str | None = None
    chart: str | None = None
    target_revision: str | None = None


class _Destination(msgspec.Struct):
    server: str | None = None
    name: str | None = None
    namespace: str | None = None


class _Automated(msgspec.Struct):
    enabled: bool | None = None


class _Policy(msgspec.Struct):
    automated: _Automated | None = None


class _Dry(msgspec.Struct, rename="camel"):
    dry_source: _Source | None = None


class _Spec(msgspec.Struct, rename="camel"):
    project: str | None = None
    destination: _Destination | None = None
    source: _Source | None = None
    sources: list[_Source] | None = None
    source_hydrator: _Dry | None = None
    sync_policy: _Policy | None = None


class _Created(msgspec.Struct, rename="camel"):
    creation_timestamp: str | None = None


class _Object(msgspec.Struct):
    metadata: _Created
    spec: _Spec | None = None
    status: _Status | None = None
    operation: msgspec.Raw = _ABSENT


_object: Final = msgspec.json.Decoder(_Object)


def row(entry: Cached) -> Row:
    """What a list shows of an object. One that is not of the types of its kind is shown by its name alone."""
    try:
        read = _object.decode(entry.raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _named(entry, unreadable=True)
    found = _named(entry, unreadable=False)
    return msgspec.structs.replace(
        found,
        created=_text(read.metadata.creation_timestamp),
        asked=_there(read.operation),
        **_of_spec(read.spec or _Spec()),
        **_of_status(read.status or _Status()),
    )


def _named(entry: Cached, *, unreadable: bool) -> Row:
    meta = entry.meta
    return Row(
        name=meta.name,
        namespace=intern(meta.namespace),
        uid=meta.uid,
        version=meta.resource_version,
        deleting=meta.deletion_timestamp,
        labels=tuple((intern(key), intern(value)) for key, value in sorted(meta.labels.items())),
        refresh=intern(meta.annotations.get(_REFRESH, "")),
        unreadable=unreadable,
        relevant=entry.relevant,
        status=entry.status,
    )


def _of_spec(spec: _Spec) -> JsonObject:
    destination = spec.destination or _Destination()
    written = spec.sources or [each for each in (spec.source,) if each is not None]
    if spec.source_hydrator is not None and spec.source_hydrator.dry_source is not None:
        written = [spec.source_hydrator.dry_source]
    automated = spec.sync_policy.automated if spec.sync_policy is not None else None
    return {
        "project": _text(spec.project) or _DEFAULT,
        "server": _text(destination.server),
        "cluster": _text(destination.name),
        "into": _text(destination.namespace),
        "sources": tuple(map(_source, written)),
        "several": bool(spec.sources),
        "automated": automated is not None and automated.enabled is not False,
    }


def _of_status(status: _Status) -> JsonObject:
    sync, health, operation = status.sync or _Sync(), status.health or _Health(), status.operation_state
    last = operation or _Operation()
    return {
        "sync": _text(sync.status) or _UNKNOWN,
        "revisions": tuple(map(intern, sync.revisions or filter(None, (sync.revision,)))),
        "health": _text(health.status) or _UNKNOWN,
        "health_since": health.last_transition_time or "",
        "health_message": (health.message or "")[:_MESSAGE_CHARS],
        "phase": _text(last.phase),
        "started": last.started_at or "",
        "synced": last.finished_at or "",
        "conditions": len(status.conditions or ()),
        "bare": status.sync is None or status.health is None or not _there(status.summary),
    }


def _source(written: _Source) -> Source:
    return Source(_text(written.repo_url), written.path or "", _text(written.chart), _text(written.target_revision))


def _text(value: str | None) -> str:
    return intern(value) if value else ""


def _there(part: msgspec.Raw) -> bool:
    """Whether it is written, and not as null."""
    return bytes(part) not in {b"", _NULL}
