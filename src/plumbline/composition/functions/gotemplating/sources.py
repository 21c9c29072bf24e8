"""Where the text of a template comes from: the composition, the environment, or files beneath one folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.limits import MIB
from plumbline.composition.functions.values import ENVIRONMENT
from plumbline.gotemplate.lexing import DELIMITERS

_BETWEEN: Final = "\n---\n"
_FOLDER_BYTES: Final = 1 * MIB
_FOLDER_FILES: Final = 1_000


class _Inline(msgspec.Struct, frozen=True):
    template: str = ""
    templates: list[str] = []


class _Folder(msgspec.Struct, frozen=True, rename="camel"):
    dir_path: str = ""


class _Key(msgspec.Struct, frozen=True):
    key: str = ""


class _Delims(msgspec.Struct, frozen=True):
    left: str | None = None
    right: str | None = None


class Input(msgspec.Struct, frozen=True, rename="camel"):
    """GoTemplate."""

    source: str = ""
    inline: _Inline | None = None
    file_system: _Folder | None = None
    environment: _Key | None = None
    delims: _Delims | None = None
    options: list[str] | None = None
    ttl: str = ""

    @property
    def delimiters(self) -> tuple[str, str]:
        """Both or neither are the author's; what is empty is the usual one."""
        given = self.delims
        if given is None or given.left is None or given.right is None:
            return DELIMITERS
        return given.left or DELIMITERS[0], given.right or DELIMITERS[1]


def template_text(given: Input, context: JsonObject, folder: Path | None) -> str:
    """Raises InvalidInput with the function's own words. *folder* is where templates of the file system are."""
    if given.source == "Inline":
        return _inline(given.inline or _Inline())
    if given.source == "FileSystem":
        return _from_files((given.file_system or _Folder()).dir_path, folder)
    if given.source == "Environment":
        return _from_environment((given.environment or _Key()).key, context)
    raise InvalidInput(f"invalid source: {given.source}" if given.source else "source is required")


def _inline(given: _Inline) -> str:
    if not given.template and not given.templates:
        raise InvalidInput("inline.template or inline.templates should be provided")
    return given.template or _BETWEEN.join(given.templates)


def _from_environment(key: str, context: JsonObject) -> str:
    if not key:
        raise InvalidInput("environment.key should be provided")
    environment = context.get(ENVIRONMENT)
    refused = "cannot read tmpl from the environment"
    if not isinstance(environment, dict):
        raise InvalidInput(f"{refused}: {ENVIRONMENT} key does not exist in context")
    if key not in environment:
        raise InvalidInput(f"{refused}: key: {key} does not exist")
    if not isinstance(environment[key], str):
        raise InvalidInput(f"{refused}: key: {key} value is not a string")
    return str(environment[key])


def _from_files(directory: str, folder: Path | None) -> str:
    if not directory:
        raise InvalidInput("fileSystem.dirPath should be provided")
    try:
        return "".join(_pieces(directory, folder))
    except OSError as fault:
        why = fault.strerror or type(fault).__name__
        raise InvalidInput(f"cannot read tmpl from the folder {{{directory}}}: {why}") from fault


def _pieces(directory: str, folder: Path | None) -> Iterator[str]:
    """Each file with what separates it from the next, in the order of their paths; hidden ones are passed over."""
    refused = f"cannot read tmpl from the folder {{{directory}}}"
    if folder is None:
        raise InvalidInput(f"{refused}: no folder with templates is configured", hint="Configure one, or use Inline.")
    root = folder.resolve()
    start = (root / directory.lstrip("/")).resolve()
    if not start.is_relative_to(root):
        raise InvalidInput(f"{refused}: it leads out of the folder with templates")
    if not start.is_dir():
        raise InvalidInput(f"{refused}: there is no such folder among the templates")
    left = _FOLDER_BYTES
    for count, path in enumerate(_files(start)):
        left -= path.stat().st_size
        if left < 0 or count >= _FOLDER_FILES or not path.resolve().is_relative_to(root):
            raise InvalidInput(f"{refused}: it holds too much, or a link that leads out of it")
        yield path.read_text(encoding="utf-8", errors="surrogateescape") + _BETWEEN


def _files(directory: Path) -> Iterator[Path]:
    with os.scandir(directory) as entries:
        listed = sorted(entries, key=lambda entry: entry.name)
    for entry in listed:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path))
        elif entry.is_file():
            yield Path(entry.path)
