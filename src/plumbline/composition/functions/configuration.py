"""Where functions are that do not come with us: a file that whoever runs the installation writes.

    functions:
      function-kcl: {address: "kcl.functions.svc:9443", certificates: certificates}
      function-mine: {command: [bin/mine, --insecure, "--address={address}"]}
    network: false          # whether functions in Python may open connections
    templates: templates    # the folder of go-templating's FileSystem source

Paths are as seen from the file. `{address}` and `{port}` in a command say where it is to listen.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from plumbline.base.documents import load_document
from plumbline.base.errors import InvalidInput

_LONGEST_BYTES: Final = 1 << 20


class At(msgspec.Struct, frozen=True):
    """A function that runs already."""

    address: str
    certificates: Path | None = None
    """A folder with tls.crt, tls.key and ca.crt; needed unless it runs on this machine."""


class Started(msgspec.Struct, frozen=True):
    """A function whose program is started here; `{address}` or `{port}` in it say where it is to listen."""

    argv: tuple[str, ...]


class Configured(msgspec.Struct, frozen=True, kw_only=True):
    functions: Mapping[str, At | Started] = {}
    """By the name that compositions use. These win over what comes with us."""
    folder: Path | None = None
    """Where functions in Python are: NAME.py, NAME/fn.py or NAME/function/fn.py."""
    network: bool = False
    """Whether functions in Python may open connections."""
    templates: Path | None = None
    """Where templates of go-templating's FileSystem source are."""


class _Place(msgspec.Struct, forbid_unknown_fields=True):
    address: str = ""
    certificates: str = ""
    command: tuple[str, ...] = ()


class _File(msgspec.Struct, forbid_unknown_fields=True):
    functions: dict[str, _Place] = {}
    network: bool = False
    templates: str = ""


def configured(file: Path | None, folder: Path) -> Configured:
    """What *file* says; *folder* is where functions in Python are."""
    if file is None:
        return Configured(folder=folder)
    try:
        raw = file.read_bytes()
        said = msgspec.convert(load_document(raw[:_LONGEST_BYTES], source=str(file)).value or {}, _File)
    except OSError as error:
        raise InvalidInput(f"Cannot read {file}", why=error.strerror or "it cannot be opened") from error
    except msgspec.ValidationError as error:
        raise InvalidInput(f"{file} cannot be used", why=str(error)) from error
    return Configured(
        functions={name: _setting(name, each, file.parent) for name, each in said.functions.items()},
        folder=folder,
        network=said.network,
        templates=file.parent / said.templates if said.templates else None,
    )


def _setting(name: str, place: _Place, beside: Path) -> At | Started:
    if bool(place.address) == bool(place.command):
        raise InvalidInput(f"Function {name} cannot be used", why="it needs either an address or a command")
    if place.command:
        program, *arguments = place.command
        found = str(beside / program) if "/" in program and not program.startswith("/") else program
        return Started((found, *arguments))
    return At(place.address, beside / place.certificates if place.certificates else None)
