"""What a plugin is, as Argo CD writes it down in plugin.yaml."""

import hashlib
from pathlib import Path
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.limits import SETTINGS

KIND: Final = "ConfigManagementPlugin"
NETWORK: Final = "plumbline.dev/plugin-network"
ENVIRONMENT: Final = "plumbline.dev/plugin-environment"
PATHS: Final = "plumbline.dev/plugin-paths"
"""Annotations by which whoever writes the definition lets its commands do more: reach others, see variables of ours,
read and run what is elsewhere on this machine."""


class _Words(msgspec.Struct, frozen=True):
    command: tuple[str, ...] | None = None
    args: tuple[str, ...] | None = None

    @property
    def argv(self) -> tuple[str, ...]:
        return (*self.command, *(self.args or ())) if self.command else ()


class _Find(_Words, frozen=True):
    glob: str = ""


class _Discover(msgspec.Struct, frozen=True, rename="camel"):
    find: _Find = _Find()
    file_name: str = ""


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    version: str = ""
    init: _Words = _Words()
    generate: _Words = _Words()
    discover: _Discover = _Discover()
    preserve_file_mode: bool = False


class _Metadata(msgspec.Struct, frozen=True):
    name: str = ""
    annotations: dict[str, str] | None = None


class _Written(msgspec.Struct, frozen=True, rename="camel"):
    kind: str = ""
    metadata: _Metadata = _Metadata()
    spec: _Spec = _Spec()


class Grants(msgspec.Struct, frozen=True, kw_only=True):
    """What commands may do beside working on the files of the source."""

    network: bool = False
    environment: tuple[str, ...] = ()
    """Names of variables that they get from our own environment."""
    paths: tuple[Path, ...] = ()
    """May be read and executed."""


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    """What applications call it: its version is part of that where it has one."""
    digest: str
    """Of all that was written."""
    generate: tuple[str, ...]
    init: tuple[str, ...] = ()
    file_name: str = ""
    """A pattern for files which say that a source is for this plugin."""
    glob: str = ""
    """The same, for any depth."""
    find: tuple[str, ...] = ()
    """A command that prints something where a source is for this plugin."""
    keeps_modes: bool = False
    """Whether what is executable in Git is so for its commands."""
    grants: Grants = Grants()

    @property
    def discovers(self) -> bool:
        return bool(self.file_name or self.glob or self.find)


def is_definition(text: bytes) -> bool:
    """Whether *text* means to be one, right or wrong: a folder may hold other YAML."""
    return KIND.encode() in text


def defined(text: bytes, where: Path) -> Definition:
    """The plugin that *text* defines, which was read at *where*."""
    from plumbline.base.documents import load_document  # noqa: PLC0415 - loads YAML

    try:
        loaded = load_document(text, limits=SETTINGS, source=where.name).value
        written = msgspec.convert(loaded, _Written)
    except msgspec.ValidationError as fault:
        raise _wrong(where, str(fault)) from None
    _check(written, where)
    spec, metadata = written.spec, written.metadata
    return Definition(
        name=f"{metadata.name}-{spec.version}" if spec.version else metadata.name,
        digest=hashlib.sha256(text).hexdigest(),
        generate=spec.generate.argv,
        init=spec.init.argv,
        file_name=spec.discover.file_name,
        glob=spec.discover.find.glob,
        find=spec.discover.find.argv,
        keeps_modes=spec.preserve_file_mode,
        grants=_grants(metadata.annotations or {}, where),
    )


def _check(written: _Written, where: Path) -> None:
    if written.kind != KIND:
        raise _wrong(where, f"kind should be {KIND}, found {written.kind}")
    if not written.metadata.name:
        raise _wrong(where, "metadata.name should be non-empty")
    if "/" in written.metadata.name + written.spec.version:
        raise _wrong(where, "its name and version cannot hold a slash")
    if not written.spec.generate.command:
        raise _wrong(where, "spec.generate command should be non-empty")


def _grants(annotations: dict[str, str], where: Path) -> Grants:
    paths = tuple(map(Path, _listed(annotations.get(PATHS, ""))))
    if any(not path.is_absolute() for path in paths):
        raise _wrong(where, f"{PATHS} takes absolute paths")
    network = annotations.get(NETWORK, "false")
    if network not in {"true", "false"}:
        raise _wrong(where, f"{NETWORK} is neither true nor false")
    return Grants(network=network == "true", environment=_listed(annotations.get(ENVIRONMENT, "")), paths=paths)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(word for part in text.split(",") if (word := part.strip()))


def _wrong(where: Path, why: str) -> InvalidInput:
    return InvalidInput(f"{where} is not a plugin", why=why, hint="Correct the file, or take it out of the folder.")
