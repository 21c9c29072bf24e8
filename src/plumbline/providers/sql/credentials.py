"""From a ProviderConfig to the server it means: read, checked, and still closed."""

from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.managed.external import Config, SecretKey

SOURCE: Final = "PostgreSQLConnectionSecret"
SSL_MODES: Final = ("disable", "require", "verify-ca", "verify-full")
_KEYS: Final = ("endpoint", "port", "username", "password")
_MOST_PORTS: Final = 65535


class Address(msgspec.Struct, frozen=True, kw_only=True):
    host: str
    port: int
    username: str
    password: Plaintext
    database: str
    """Where to connect to for what belongs to no other database."""
    ssl_mode: str

    def __str__(self) -> str:
        return f"PostgreSQL at {self.host}:{self.port}"


async def address_of(config: Config) -> Address:
    """Raises NotFound for a Secret or key that is missing, InvalidInput for what cannot be an address."""
    credentials = _mapping(config.spec, "credentials")
    source = credentials.get("source", SOURCE)
    if source != SOURCE:
        raise _bad(config, f"credentials.source is {source!r}, and only {SOURCE} is known")
    reference = _mapping(credentials, "connectionSecretRef")
    if not reference.get("name"):
        raise _bad(config, "credentials.connectionSecretRef names no Secret")
    mapping = _mapping(credentials, "secretKeyMapping")
    values: dict[str, Plaintext] = {}
    for key in _KEYS:
        asked = SecretKey(reference["name"], mapping.get(key) or key, reference.get("namespace", ""))
        values[key] = await config.secrets.read(asked)
    port = _port(config, values["port"])
    ssl_mode = config.spec.get("sslMode") or "verify-full"
    if ssl_mode not in SSL_MODES:
        raise _bad(config, f"sslMode is {ssl_mode!r}, and must be one of {', '.join(SSL_MODES)}")
    return Address(
        host=_host(config, values["endpoint"], port),
        port=port,
        username=values["username"].reveal().decode(errors="replace"),
        password=values["password"],
        database=config.spec.get("defaultDatabase") or "postgres",
        ssl_mode=ssl_mode,
    )


def _port(config: Config, value: Plaintext) -> int:
    text = value.reveal().decode(errors="replace").strip()
    if not (
        text.isascii() and text.isdecimal() and len(text) <= len(str(_MOST_PORTS)) and 0 < int(text) <= _MOST_PORTS
    ):
        raise _bad(config, "the port in its Secret is no port")
    return int(text)


def _host(config: Config, value: Plaintext, port: int) -> str:
    """One host of a network. libpq would also take lists, and sockets of this machine, which no Secret may reach."""
    text = value.reveal().decode(errors="replace").strip().removesuffix(f":{port}")
    if not text or text.startswith(("/", "@", "\\")) or not text.isprintable() or set(text) & set(", '="):
        raise _bad(config, "the endpoint in its Secret is not the name or address of one host")
    return text.removeprefix("[").removesuffix("]")


def _mapping(parent: JsonObject, field: str) -> JsonObject:
    value = parent.get(field)
    return value if isinstance(value, dict) else {}


def _bad(config: Config, why: str) -> InvalidInput:
    return InvalidInput(f"{config.ref} cannot be used", why=why)
