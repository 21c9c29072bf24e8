"""Paths of files in containers and volumes."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, invalid
from plumbline.apiserver.validation.shapes import integer
from plumbline.base.json import Json

_LARGEST_MODE: Final = 0o777


def upward_errors(path: str, field: str) -> Iterator[FieldError]:
    """A complaint about a path that climbs."""
    if ".." in path and ".." in path.split("/"):
        yield invalid(field, path, "must not contain '..'")


def descending_errors(path: str, field: str) -> Iterator[FieldError]:
    """Complaints about a path that does not stay below where it starts."""
    if path.startswith("/"):
        yield invalid(field, path, "must be a relative path")
    yield from upward_errors(path, field)


def local_errors(path: str, field: str) -> Iterator[FieldError]:
    """The same, and names that volumes keep for themselves."""
    yield from descending_errors(path, field)
    if path.startswith("..") and not path.startswith("../"):
        yield invalid(field, path, "must not start with '..'")


def mode_errors(mode: Json, field: str) -> Iterator[FieldError]:
    bits = integer(mode)
    if bits is not None and not 0 <= bits <= _LARGEST_MODE:
        yield invalid(field, bits, "must be a number between 0 and 0777 (octal), both inclusive")
