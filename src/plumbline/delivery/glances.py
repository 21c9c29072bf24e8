"""The few fields of an Application that metrics tell, decoded without the rest."""

from datetime import datetime
from typing import Final

import msgspec


class Source(msgspec.Struct, gc=False):
    repo_url: str = msgspec.field(name="repoURL", default="")


class Automated(msgspec.Struct):
    enabled: bool | None = None


class SyncPolicy(msgspec.Struct):
    automated: Automated | None = None


class Dry(msgspec.Struct):
    repo_url: str = msgspec.field(name="repoURL", default="")


class Hydrator(msgspec.Struct, rename="camel"):
    dry_source: Dry = msgspec.field(default_factory=Dry)


class Destination(msgspec.Struct, gc=False):
    server: str = ""
    name: str = ""
    namespace: str = ""


class Spec(msgspec.Struct, rename="camel"):
    project: str = ""
    source: Source | None = None
    sources: list[Source] | None = None
    source_hydrator: Hydrator | None = None
    destination: Destination = msgspec.field(default_factory=Destination)
    sync_policy: SyncPolicy | None = None


class State(msgspec.Struct, gc=False):
    status: str = ""


class Condition(msgspec.Struct, gc=False):
    type: str = ""
    message: str = ""


class AskedSync(msgspec.Struct, rename="camel", gc=False):
    dry_run: bool = False


class Operation(msgspec.Struct):
    sync: AskedSync | None = None


class OperationState(msgspec.Struct, rename="camel"):
    phase: str = ""
    started_at: str = ""
    finished_at: str = ""
    operation: Operation | None = None


class Status(msgspec.Struct, rename="camel"):
    sync: State | None = None
    health: State | None = None
    conditions: list[Condition] | None = None
    operation_state: OperationState | None = None


class App(msgspec.Struct):
    spec: Spec = msgspec.field(default_factory=Spec)
    status: Status = msgspec.field(default_factory=Status)
    operation: Operation | None = None


_decoder: Final = msgspec.json.Decoder(App)


def glance(raw: bytes) -> App:
    """What *raw* says; an Application that says nothing where it cannot be read."""
    try:
        return _decoder.decode(raw)
    except msgspec.DecodeError:
        return App()


def repository(spec: Spec) -> str:
    """Where it comes from; of several sources, the first."""
    if spec.source_hydrator is not None:
        return spec.source_hydrator.dry_source.repo_url
    if spec.sources:
        return spec.sources[0].repo_url
    return spec.source.repo_url if spec.source is not None else ""


def seconds(state: OperationState) -> float:
    """How long it took; zero where it does not say."""
    try:
        took = datetime.fromisoformat(state.finished_at) - datetime.fromisoformat(state.started_at)
    except ValueError:
        return 0
    return max(took.total_seconds(), 0)
