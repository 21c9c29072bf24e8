"""Sync options: `Name=value`, in a list on the application and after commas in an annotation of a resource."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, TypeAlias

SYNC_OPTIONS: Final = "argocd.argoproj.io/sync-options"
_REMEMBERED: Final = 1024

Options: TypeAlias = Mapping[str, str]

NONE: Final[Options] = MappingProxyType({})


def parsed(items: Iterable[str]) -> Options:
    """Names and values; of two that name the same the first counts, and what has no value is nothing."""
    options: dict[str, str] = {}
    for item in items:
        name, separator, value = item.strip().partition("=")
        if separator:
            options.setdefault(name, value)
    return MappingProxyType(options)


def annotated(annotations: Mapping[str, str]) -> Options:
    """What a resource says about itself."""
    text = annotations.get(SYNC_OPTIONS)
    return _split(text) if text else NONE


def chosen(name: str, *layers: Options) -> str:
    """What the first of *layers* that speaks about *name* says; empty if none does."""
    for layer in layers:
        value = layer.get(name)
        if value is not None:
            return value
    return ""


# The same few texts stand on thousands of objects.
@lru_cache(maxsize=_REMEMBERED)
def _split(text: str) -> Options:
    return parsed(text.split(","))
