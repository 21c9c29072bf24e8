"""The managed kinds of PostgreSQL, each cluster-scoped and namespaced."""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from plumbline.base.clock import Clock, SystemClock
from plumbline.kube.names import GroupKind
from plumbline.managed.external import Config, External, Managed
from plumbline.managed.kinds import ManagedKind, ProviderKind, Reference, Schema, with_namespaced_twin
from plumbline.providers.sql import schemas
from plumbline.providers.sql.database import Databases
from plumbline.providers.sql.extension import Extensions
from plumbline.providers.sql.grant import Grants
from plumbline.providers.sql.privileges import DefaultPrivileges
from plumbline.providers.sql.role import Roles
from plumbline.providers.sql.schema import Schemas
from plumbline.providers.sql.servers import Server, Servers

GROUP: Final = "postgresql.sql.crossplane.io"
NAMESPACED_GROUP: Final = "postgresql.sql.m.crossplane.io"
VERSION: Final = "v1alpha1"

POSTGRESQL: Final = ProviderKind(
    name="sql",
    group=GROUP,
    version=VERSION,
    schema=schemas.provider_config,
    packages=("provider-sql",),
    namespaced_group=NAMESPACED_GROUP,
)
_ROLE: Final = GroupKind(GROUP, "Role")
_DATABASE: Final = GroupKind(GROUP, "Database")
_SCHEMA: Final = GroupKind(GROUP, "Schema")
_POLL_S: Final = 600.0


class PostgresConnector:
    def __init__(self, servers: Servers, make: Callable[[Server], External]) -> None:
        self._servers = servers
        self._make = make

    async def connect(self, managed: Managed, config: Config) -> External:
        del managed
        return self._make(await self._servers.find(config))


def kinds(servers: Servers, *, clock: Clock | None = None) -> tuple[ManagedKind, ...]:
    """Every kind, over the connections that *servers* keeps; whoever made *servers* closes it."""
    made = _kinds(servers, clock or SystemClock())
    return tuple(twin for kind in made for twin in with_namespaced_twin(kind))


def _kinds(servers: Servers, clock: Clock) -> Iterator[ManagedKind]:
    def kind(
        named: str, make: Callable[[Server], External], schema: Callable[[], Schema], *references: Reference
    ) -> ManagedKind:
        return ManagedKind(
            provider=POSTGRESQL,
            group=GROUP,
            kind=named,
            plural=f"{named.lower().removesuffix('s')}s",
            versions=(VERSION,),
            schemas=schema,
            connector=PostgresConnector(servers, make),
            references=references,
            poll_s=_POLL_S,
        )

    role, of_database = Reference("role", _ROLE), Reference("database", _DATABASE)
    database = kind("Database", Databases, schemas.database, Reference("owner", _ROLE))
    yield msgspec.structs.replace(database, holds="a database")
    roles = kind("Role", lambda server: Roles(server, clock), schemas.role)
    yield msgspec.structs.replace(roles, connection_keys=("username", "password", "endpoint", "port"))
    member = Reference("memberOf", _ROLE)
    yield kind("Grant", Grants, schemas.grant, role, member, of_database, Reference("schema", _SCHEMA))
    yield kind("Schema", Schemas, schemas.schema, role, of_database)
    yield kind("Extension", Extensions, schemas.extension, of_database)
    yield kind("DefaultPrivileges", DefaultPrivileges, schemas.default_privileges, role, of_database)
