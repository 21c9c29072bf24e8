"""A vendor's kinds, as rows: what they are called, the table of each, and what connects them."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Generic, Literal, TypeVar

import msgspec

from plumbline.managed.external import Config, External, Managed
from plumbline.managed.kinds import Generated, ManagedKind, ProviderKind, Reference, Schema, with_namespaced_twin

T = TypeVar("T")


class Row(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    service: str = ""
    """Before the group; empty for kinds of the group itself."""
    kind: str
    plural: str
    table: T
    versions: tuple[str, ...] = ("v1beta1",)
    twin: tuple[str, ...] = ("v1beta1",)
    """Versions of the namespaced one."""
    external_name: Literal["chosen", "assigned"] = "chosen"
    holds: str = ""
    references: tuple[Reference, ...] = ()
    generates: tuple[Generated, ...] = ()
    keys: tuple[str, ...] = ()
    """Of the connection Secret."""

    @property
    def name(self) -> str:
        return f"{self.service}/{self.kind}" if self.service else self.kind


class Connector:
    def __init__(self, open_: Callable[[Config], Awaitable[External]]) -> None:
        self._open = open_

    async def connect(self, managed: Managed, config: Config) -> External:  # noqa: ARG002 - the seam has it
        return await self._open(config)


def kinds_of(
    provider: ProviderKind,
    rows: Iterable[Row[T]],
    schema: Callable[[T], Schema],
    external: Callable[[T, Config], Awaitable[External]],
) -> tuple[ManagedKind, ...]:
    """Every kind in both lineages."""
    made: list[ManagedKind] = []
    for row in rows:
        legacy, twin = with_namespaced_twin(
            ManagedKind(
                provider=provider,
                group=f"{row.service}.{provider.group}" if row.service else provider.group,
                kind=row.kind,
                plural=row.plural,
                versions=row.versions,
                schemas=partial(schema, row.table),
                connector=Connector(partial(external, row.table)),
                external_name=row.external_name,
                holds=row.holds,
                references=row.references,
                generates=row.generates,
                connection_keys=row.keys,
            )
        )
        made += [legacy, msgspec.structs.replace(twin, versions=row.twin)]
    return tuple(made)
