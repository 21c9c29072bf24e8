"""A managed resource's life without the reconciler: what it would do, step by step, and what is asked of the server."""

import psycopg

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import NotFound
from plumbline.base.plaintext import Plaintext
from plumbline.kube.names import GroupKind, Ref
from plumbline.managed.external import Config, Managed, merged_under
from plumbline.providers.sql.kinds import GROUP, NAMESPACED_GROUP, kinds


class Secrets:
    """Secrets by namespace, name and key."""

    def __init__(self, contents=None):
        self.contents = contents or {}

    async def read(self, key):
        try:
            return Plaintext(self.contents[key.namespace, key.name][key.key])
        except KeyError:
            raise NotFound(f"Secret {key.namespace}/{key.name} has no key {key.key}") from None

    def put(self, name, namespace="default", **values):
        self.contents.setdefault((namespace, name), {}).update(values)


class Resource:
    """One managed resource, kept between looks as the API server would keep it."""

    def __init__(self, desk, kind, name, *, namespaced=False, **wanted):
        self.desk, self.kind, self.name, self.wanted = desk, kind, name, wanted
        self.group = NAMESPACED_GROUP if namespaced else GROUP
        self.namespace = "default" if namespaced else ""
        self.initial, self.status, self.spec, self.metadata = {}, {}, {}, {}
        self.published = {}
        self.writes = 0

    @property
    def managed(self):
        return Managed(
            ref=Ref(self.group, self.kind, self.namespace, self.name),
            uid="u",
            external_name=self.name,
            wanted=self.wanted,
            initial=self.initial,
            secrets=self.desk.secrets,
            object={"metadata": self.metadata, "spec": self.spec, "status": {"atProvider": self.status}},
        )

    async def external(self):
        kind = self.desk.kinds[GroupKind(self.group, self.kind)]
        return await kind.connector.connect(self.managed, self.desk.config)

    async def look(self):
        observed = await (await self.external()).observe(self.managed)
        if observed.exists:
            self.status = {**self.status, **observed.at_provider}
            self.publish(observed.connection)
        return observed

    async def reconcile(self):
        """Observe, act once, observe again; the last look."""
        observed = await self.look()
        external = await self.external()
        if not observed.exists:
            self.writes += 1
            done = await external.create(self.managed)
        elif observed.differences:
            self.writes += 1
            done = await external.update(self.managed, observed)
        else:
            self.wanted = merged_under(self.wanted, observed.late)
            return observed
        self.status = {**self.status, **done.at_provider}
        self.publish(done.connection)
        return await self.look()

    async def delete(self):
        self.metadata = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
        observed = await self.look()
        await (await self.external()).delete(self.managed, observed)
        return await self.look()

    def publish(self, connection):
        self.published.update({key: value.reveal().decode() for key, value in connection.items()})
        target = self.spec.get("writeConnectionSecretToRef")
        if target:
            self.desk.secrets.put(target["name"], target.get("namespace", self.namespace), **self.published)


_ADMINISTRATORS = {}


def administrator(server):
    """The one who looks at the server from outside; closed with `dismissed`."""
    known = _ADMINISTRATORS.get(server.port)
    if known is None or known.closed:
        known = _ADMINISTRATORS[server.port] = psycopg.connect(
            host=server.endpoint,
            port=server.port,
            user=server.username,
            password=server.password.reveal().decode(),
            dbname="postgres",
            autocommit=True,
        )
    return known


def dismissed(server):
    if server.port in _ADMINISTRATORS:
        _ADMINISTRATORS.pop(server.port).close()


def _answer(connection, text, values):
    cursor = connection.execute(text, values or None)
    return cursor.fetchall() if cursor.description else None


class Desk:
    def __init__(self, server, servers):
        self.server, self.servers = server, servers
        self.secrets = Secrets()
        self.secrets.put("server", **{key: value.reveal().decode() for key, value in server.secret().items()})
        self.clock = VirtualClock()
        self.kinds = {kind.group_kind: kind for kind in kinds(servers, clock=self.clock)}
        self.config = self.configured()
        self._before = self._names()

    def configured(self, version="1", **changes):
        spec = {
            "credentials": {
                "source": "PostgreSQLConnectionSecret",
                "connectionSecretRef": {"name": "server", "namespace": "default"},
            },
            "sslMode": "disable",
        }
        return Config(Ref(GROUP, "ProviderConfig", "", "default"), spec | changes, self.secrets, version)

    def resource(self, kind, name, **wanted):
        return Resource(self, kind, name, **wanted)

    async def make(self, kind, name, **wanted):
        made = self.resource(kind, name, **wanted)
        await made.reconcile()
        return made

    def sql(self, text, *values, database="postgres", user="", password=""):
        """Somebody else at work, with a connection of their own."""
        if database == "postgres" and not user:
            return _answer(administrator(self.server), text, values)
        server = self.server
        with psycopg.connect(
            host=server.endpoint,
            port=server.port,
            user=user or server.username,
            password=password or server.password.reveal().decode(),
            dbname=database,
            autocommit=True,
        ) as connection:
            return _answer(connection, text, values)

    def _names(self):
        databases = self.sql("SELECT datname FROM pg_database")
        roles = self.sql("SELECT rolname FROM pg_roles")
        return {name for (name,) in databases}, {name for (name,) in roles}

    async def clear(self):
        databases, roles = self._names()
        for name in databases - self._before[0]:
            quoted = name.replace('"', '""')
            self.sql(f'ALTER DATABASE "{quoted}" IS_TEMPLATE false')
            self.sql(f'DROP DATABASE "{quoted}" WITH (FORCE)')
        for name in roles - self._before[1]:
            quoted = name.replace('"', '""')
            self.sql(f'DROP OWNED BY "{quoted}"')
            self.sql(f'DROP ROLE "{quoted}"')
