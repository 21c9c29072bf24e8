"""Where a request goes and what it asks for, as values: paths and query strings are made here and nowhere else."""

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, urlencode

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.kube.names import GroupVersionResource

_is_plain = re.compile(r"[A-Za-z0-9_:-][A-Za-z0-9._:-]*").fullmatch

PAGE = 500
JSON = "application/json"
METADATA = f"{JSON};as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
METADATA_LIST = f"{JSON};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
TABLE = f"{JSON};as=Table;g=meta.k8s.io;v=v1,{JSON}"


class Target(NamedTuple):
    """One object, one collection, or one subresource. No namespace means all of them, or a kind without."""

    resource: GroupVersionResource
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def path(self) -> str:
        """Its URL path. Raises InvalidInput for names that would lead elsewhere."""
        path = (
            f"{_root(self.resource)}/namespaces/{_segment(self.namespace)}" if self.namespace else _root(self.resource)
        )
        path = f"{path}/{self.resource.resource}"
        if self.name:
            path = f"{path}/{_segment(self.name)}"
        return f"{path}/{self.subresource}" if self.subresource else path

    @property
    def collection(self) -> "Target":
        return Target(self.resource, self.namespace)

    def __str__(self) -> str:
        kind = f"{self.resource}/{self.subresource}" if self.subresource else str(self.resource)
        what = f'{kind} "{self.name}"' if self.name else kind
        return f"{what} in namespace {self.namespace}" if self.namespace else what


@lru_cache(maxsize=4096)
def _root(resource: GroupVersionResource) -> str:
    parts = (*filter(None, (resource.group,)), resource.version, resource.resource)
    if not all(_is_plain(part) for part in parts):
        raise InvalidInput(
            f"{resource.api_version}, {resource.resource} is not a resource", why="it has odd characters"
        )
    return resource.root


def _segment(name: str) -> str:
    """One path segment, whatever the name holds; Kubernetes itself forbids the ones that are refused here."""
    if _is_plain(name):
        return name
    if name in {"", ".", ".."} or "/" in name or "%" in name or not name.isprintable():
        raise InvalidInput(
            f"{name!r} cannot name an object",
            why="names are neither . nor .., and have no slash, percent sign or control character",
        )
    return quote(name, safe="")


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which objects of a collection, and how much of each."""

    labels: str = ""
    fields: str = ""
    resource_version: str = ""
    """Empty for the latest state, "0" for whatever is in the server's cache, else not older than this."""
    exact: bool = False
    """The state at exactly `resource_version`."""
    metadata_only: bool = False
    limit: int = PAGE
    """Objects per page; zero for all at once."""

    @property
    def query(self) -> dict[str, str]:
        return {key: value for key, value in (("labelSelector", self.labels), ("fieldSelector", self.fields)) if value}


class Writing(msgspec.Struct, frozen=True, kw_only=True):
    """On whose behalf and how a change is written. Make one and use it for many: its query is computed once."""

    field_manager: str = ""
    force: bool = False
    """Take fields over from their owners. Only server-side apply knows it."""
    dry_run: bool = False
    validation: str = ""
    """What unknown and duplicate fields lead to: Ignore, Warn or Strict; empty leaves it to the server (Warn).

    An apply with unknown fields is refused in any case. More than Ignore only has the server parse its body twice.
    """


@lru_cache(maxsize=1024)
def write_query(writing: Writing, *, apply: bool = False) -> str:
    fields = {
        "fieldManager": writing.field_manager,
        "force": "true" if apply and writing.force else "",
        "dryRun": "All" if writing.dry_run else "",
        "fieldValidation": writing.validation or ("Ignore" if apply else ""),
    }
    return encode_query(fields)


def encode_query(fields: dict[str, str]) -> str:
    """Those that have a value, percent-encoded."""
    return urlencode({key: value for key, value in fields.items() if value}, quote_via=quote)
