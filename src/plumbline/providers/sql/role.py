"""Roles: what they may do, the settings of their sessions, and a password that really opens them.

A password is the one in the Secret that `passwordSecretRef` names, else the one in the connection Secret, else a new one.
Where the server lets us see what it keeps of it, a password that somebody changed there is found and set back.
"""

from datetime import datetime
from typing import Final, NamedTuple

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import AlreadyExists, InvalidInput, NotFound
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext, unguessable
from plumbline.managed.external import ABSENT, Created, Difference, Managed, Observed, SecretKey, Updated
from plumbline.providers.sql.parameters import differing, parameters, read, reset, setting
from plumbline.providers.sql.passwords import kept_form, opens
from plumbline.providers.sql.servers import Server
from plumbline.providers.sql.statements import Statement, Value, Word, name
from plumbline.providers.sql.wanted import deleting, observed_before, text, value_of

_OBSERVE: Final = """
SELECT rolsuper, rolinherit, rolcreatedb, rolcreaterole, rolcanlogin, rolreplication, rolbypassrls, rolconnlimit,
       coalesce(rolconfig, '{}'), pg_catalog.has_table_privilege('pg_catalog.pg_authid', 'SELECT')
FROM pg_catalog.pg_roles WHERE rolname = %(name)s::text
"""
_KEPT: Final = "SELECT rolpassword FROM pg_catalog.pg_authid WHERE rolname = %(name)s::text"
_CLAUSES: Final = {
    "superUser": "SUPERUSER",
    "inherit": "INHERIT",
    "createDb": "CREATEDB",
    "createRole": "CREATEROLE",
    "login": "LOGIN",
    "replication": "REPLICATION",
    "bypassRls": "BYPASSRLS",
}
PASSWORD: Final = "password"  # noqa: S105 - the name of a key
_CHANGED: Final = "lastPasswordChange"


class _Secrets(NamedTuple):
    given: Plaintext | None
    """What `passwordSecretRef` says."""
    published: Plaintext | None
    """What the connection Secret says."""
    publishes: bool
    """Whether there is to be a connection Secret."""


class Roles:
    def __init__(self, server: Server, clock: Clock) -> None:
        self._server = server
        self._clock = clock

    async def observe(self, managed: Managed) -> Observed:
        role = managed.external_name
        rows = await self._server.fetch(_OBSERVE, {"name": role})
        if not rows:
            return ABSENT
        *flags, limit, stored, sees = rows[0]
        found = dict(zip(_CLAUSES, flags, strict=True))
        configured = read(stored)
        # When the password was set is not to be seen: it stays as it was told when that was done.
        at_provider: JsonObject = {
            "privilegesAsClauses": [_clause(key, on=on) for key, on in found.items()],
            "configurationParameters": [{"name": key, "value": value} for key, value in configured.items()],
        }
        if deleting(managed):
            # What is on its way out must not be held up by a manifest or a Secret that is no longer in order.
            return Observed(exists=True, at_provider=at_provider)
        secrets = await _secrets(managed)
        kept = await self._kept(role) if sees else None
        before = observed_before(managed)
        differences = _differences(managed.wanted, found, limit)
        differences += differing(managed.wanted, configured)
        if not _opened(role, secrets, kept, sees=sees) or self._rotation_due(managed.wanted, secrets, before):
            # Neither of the values may be shown.
            differences = (*differences, Difference(PASSWORD, wanted="as in its Secret", found="another"))
        return Observed(
            exists=True,
            at_provider=at_provider,
            differences=differences,
            late=_late(managed.wanted, found, limit),
            connection=self._connection(role, secrets.given),
        )

    async def create(self, managed: Managed) -> Created:
        role = managed.external_name
        secrets = await _secrets(managed)
        # The published one is kept: a control plane that is lost and rebuilt changes no password.
        password = secrets.given or secrets.published or unguessable()
        wanted = managed.at_creation
        settings = setting(role, parameters(wanted))
        what = f"role {role!r} was not created"
        try:
            await self._server.transact(
                what, [_written(Statement("CREATE ROLE {}", (name(role),)), wanted, password), *settings]
            )
        except AlreadyExists:
            # A creation whose answer was lost; or one that somebody else made meanwhile, with a password nobody knows.
            await self._server.transact(
                what, [_written(Statement("ALTER ROLE {}", (name(role),)), wanted, password), *settings]
            )
        return Created(connection=self._connection(role, password), at_provider=self._password_changed())

    async def update(self, managed: Managed, observed: Observed) -> Updated:
        role, wanted = managed.external_name, managed.wanted
        paths = {each.path for each in observed.differences}
        statement = Statement("ALTER ROLE {}", (name(role),))
        password = None
        if PASSWORD in paths:
            secrets = await _secrets(managed)
            rotates = self._rotation_due(wanted, secrets, observed_before(managed))
            kept = None if rotates else secrets.published
            password = secrets.given or kept or unguessable()
        changed = {
            "privileges": {key: on for key, on in _privileges(wanted).items() if f"privileges.{key}" in paths},
            "connectionLimit": wanted.get("connectionLimit") if "connectionLimit" in paths else None,
        }
        statements = [_written(statement, changed, password)] if paths - {"configurationParameters"} else []
        if "configurationParameters" in paths:
            statements += [reset(role), *setting(role, parameters(wanted))]
        await self._server.transact(f"role {role!r} was not changed", statements)
        if password is None:
            return Updated()
        return Updated(connection=self._connection(role, password), at_provider=self._password_changed())

    async def delete(self, managed: Managed, observed: Observed) -> None:
        del observed
        role = managed.external_name
        await self._server.run(f"role {role!r} was not dropped", Statement("DROP ROLE IF EXISTS {}", (name(role),)))

    async def _kept(self, role: str) -> Plaintext | None:
        rows = await self._server.fetch(_KEPT, {"name": role})
        return Plaintext(rows[0][0]) if rows and rows[0][0] else None

    def _connection(self, role: str, password: Plaintext | None) -> dict[str, Plaintext]:
        address = self._server.address
        known = {"username": Plaintext(role), "endpoint": Plaintext(address.host), "port": Plaintext(str(address.port))}
        return {**known, PASSWORD: password} if password else known

    def _password_changed(self) -> JsonObject:
        return {_CHANGED: rfc3339(self._clock.now())}

    @staticmethod
    def _rotation_due(wanted: JsonObject, secrets: _Secrets, before: JsonObject) -> bool:
        """Whether a new password was asked for after the last one was set. Nowhere to publish it: nothing to rotate."""
        trigger, last = text(wanted, "passwordRotationTrigger"), before.get(_CHANGED)
        if not (trigger and last) or secrets.given or not secrets.publishes:
            return False
        return _moment(trigger) > _moment(str(last))


def _opened(role: str, secrets: _Secrets, kept: Plaintext | None, *, sees: bool) -> bool:
    """Whether the role's password is the one that it should have, as far as can be known."""
    password = secrets.given or secrets.published
    if not secrets.given and not secrets.publishes:
        return True
    if not password:
        return False
    if sees:
        opened = opens(kept, role, password) if kept else False
        if opened is not None:
            return opened
    return not (secrets.given and secrets.publishes) or secrets.published == secrets.given


async def _secrets(managed: Managed) -> _Secrets:
    given = None
    reference = managed.wanted.get("passwordSecretRef")
    if isinstance(reference, dict):
        key = SecretKey(
            str(reference.get("name", "")), str(reference.get("key", "")), str(reference.get("namespace") or "")
        )
        given = await managed.secrets.read(key)
    target = value_of(managed.object, "spec", "writeConnectionSecretToRef")
    if not isinstance(target, dict) or not target.get("name"):
        return _Secrets(given or None, None, publishes=False)
    key = SecretKey(target["name"], PASSWORD, target.get("namespace") or managed.ref.namespace)
    try:
        published = await managed.secrets.read(key)
    except NotFound:
        published = None
    return _Secrets(given or None, published or None, publishes=True)


def _differences(wanted: JsonObject, found: JsonObject, limit: int) -> tuple[Difference, ...]:
    privileges = tuple(
        Difference(f"privileges.{key}", on, found[key]) for key, on in _privileges(wanted).items() if on != found[key]
    )
    asked = wanted.get("connectionLimit")
    return (*privileges, Difference("connectionLimit", asked, limit)) if asked not in {None, limit} else privileges


def _late(wanted: JsonObject, found: JsonObject, limit: int) -> JsonObject:
    asked = _privileges(wanted)
    late: JsonObject = {}
    if unset := {key: on for key, on in found.items() if key not in asked}:
        late["privileges"] = unset
    if wanted.get("connectionLimit") is None:
        late["connectionLimit"] = limit
    return late


def _privileges(wanted: JsonObject) -> dict[str, bool]:
    asked = wanted.get("privileges") or {}
    if not isinstance(asked, dict):
        raise InvalidInput("forProvider.privileges cannot be used", why="it is not an object")
    return {key: bool(asked[key]) for key in _CLAUSES if asked.get(key) is not None}


def _clause(key: str, *, on: bool) -> str:
    return _CLAUSES[key] if on else f"NO{_CLAUSES[key]}"


def _written(statement: Statement, wanted: JsonObject, password: Plaintext | None) -> Statement:
    for key, on in _privileges(wanted).items():
        statement = Statement("{} {}", (statement, Word(_clause(key, on=on))))
    limit = wanted.get("connectionLimit")
    if limit is not None:
        statement = Statement("{} CONNECTION LIMIT {}", (statement, Value(int(limit))))
    return Statement("{} PASSWORD {}", (statement, Value(kept_form(password)))) if password else statement


def _moment(moment: str) -> datetime:
    try:
        parsed = datetime.fromisoformat(moment)
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is None:
        raise InvalidInput("forProvider.passwordRotationTrigger cannot be used", why="it is no moment in RFC 3339")
    return parsed
