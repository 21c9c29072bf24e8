"""Requests to Vault's API: one pool of connections, bounded in time and size, with what breaks in words of ours.

No answer of a request is an error here; `replies` says what a status means. Redirects are not followed: whose token it is was
decided for this server alone.
"""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from plumbline.base.environment import environment
from plumbline.base.errors import GarbledReply, InvalidInput, LimitExceeded, PlumblineError, TimedOut, Unreachable
from plumbline.base.json import JsonObject
from plumbline.base.limits import MIB
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client.parts import Proxy
from plumbline.kube.client.proxies import environment_proxy
from plumbline.secrets.stores.vault.paths import spelt
from plumbline.secrets.stores.vault.reach import RefusedHereError, guarded_socket, refused

if TYPE_CHECKING:
    import aiohttp

_REPLY_BYTES: Final = 8 * MIB
_DEADLINE_S: Final = 30.0
_CONNECTIONS: Final = 100
_SUCCESSES: Final = range(200, 300)
# Numbers keep their letters: 1.50 is not 1.5 for whoever has it as a password.
_DECODER: Final = msgspec.json.Decoder(float_hook=lambda digits: msgspec.Raw(digits.encode()))


@dataclass(frozen=True, slots=True)
class Place:
    """A server, and how it wants to be spoken to."""

    server: str
    tls: ssl.SSLContext | None = None
    headers: Mapping[str, Plaintext] = field(default_factory=dict)
    consistent: bool = False
    """Send along what servers of the cluster said about how far they are."""


class Call(NamedTuple):
    method: str
    path: str
    query: Mapping[str, str] = {}
    body: Plaintext | None = None
    token: Plaintext | None = None
    namespace: str = ""
    states: tuple[str, ...] = ()


class Reply(NamedTuple):
    status: int
    body: JsonObject
    state: str = ""
    after_s: float | None = None

    @property
    def errors(self) -> str:
        """What Vault says went wrong. It is looked into, and not repeated: it may quote what it was sent."""
        listed = self.body.get("errors")
        return "\n".join(each for each in listed if isinstance(each, str)) if isinstance(listed, list) else ""

    @property
    def content(self) -> JsonObject:
        held = self.body.get("data")
        return held if isinstance(held, dict) else {}


class Wire:
    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def send(self, place: Place, call: Call) -> Reply:
        """Raises Unreachable, TimedOut, InvalidInput, LimitExceeded, GarbledReply and Refused, none of which tells anything that was sent."""
        import aiohttp  # noqa: PLC0415 - whoever has no Vault need not load it
        from yarl import URL  # noqa: PLC0415 - same

        url = URL(f"{place.server}/v1/{spelt(call.path)}", encoded=True).with_query(dict(call.query))
        proxy = environment_proxy(place.server, environment())
        shown = _shown(proxy)
        try:
            async with self._opened().request(
                call.method,
                url,
                data=call.body.reveal() if call.body else None,
                # A proxy that TLS goes through sees what it is told first; any other, the request itself.
                headers=_headers(place, call) + ([] if url.scheme == "https" else shown),
                allow_redirects=False,
                ssl=place.tls or True,
                proxy=proxy.url if proxy else None,
                proxy_headers=shown if url.scheme == "https" else None,
            ) as answer:
                content = bytearray()
                async for piece in answer.content.iter_chunked(1 << 16):
                    content += piece
                    if len(content) > _REPLY_BYTES:
                        raise LimitExceeded("The answer of Vault is not read", why=f"more than {_REPLY_BYTES:,} bytes")
        except TimeoutError:
            raise TimedOut("Vault does not answer", why=f"nothing came within {_DEADLINE_S:g} s") from None
        except (aiohttp.ClientError, OSError) as broken:
            raise _broken(broken) from None
        except ValueError:
            raise _unspeakable() from None
        return Reply(
            answer.status,
            _decoded(answer.status, bytes(content)),
            answer.headers.get("X-Vault-Index", ""),
            _seconds(answer.headers.get("Retry-After", "")),
        )

    async def close(self) -> None:
        self._closed = True
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _opened(self) -> "aiohttp.ClientSession":
        import aiohttp  # noqa: PLC0415 - same

        if self._closed:
            raise Unreachable("Vault is not asked", sent=False, why="we are shutting down")
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=_CONNECTIONS, socket_factory=guarded_socket),
                timeout=aiohttp.ClientTimeout(total=_DEADLINE_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": "plumbline", "Accept": "application/json"},
            )
        return self._session


def _headers(place: Place, call: Call) -> list[tuple[str, str]]:
    made = [(name, value.reveal().decode("latin-1")) for name, value in place.headers.items()]
    made.append(("X-Vault-Request", "true"))
    if call.namespace:
        made.append(("X-Vault-Namespace", call.namespace))
    if call.token:
        made.append(("X-Vault-Token", call.token.reveal().decode("latin-1")))
    if call.body:
        made.append(("Content-Type", "application/json"))
    return [*made, *(("X-Vault-Index", state) for state in call.states)]


def _shown(proxy: Proxy | None) -> list[tuple[str, str]]:
    if proxy is None or proxy.authorization is None:
        return []
    return [("Proxy-Authorization", proxy.authorization.reveal().decode("latin-1"))]


def _decoded(status: int, content: bytes) -> JsonObject:
    if not content.strip():
        return {}
    try:
        body = _DECODER.decode(content)
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, dict):
        return body
    if status in _SUCCESSES:
        raise GarbledReply(
            "The answer of Vault cannot be read",
            why="it is no JSON object",
            hint="Check that server is the address of Vault, and that nothing on the way answers for it.",
        )
    # What stands between us and Vault answers errors in its own words.
    return {}


def _seconds(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else None  # noqa: PLR2004 - about a day


def _unspeakable() -> InvalidInput:
    """Without what is wrong: of what a library quotes some is somebody's to choose, and some a secret."""
    return InvalidInput(
        "Vault is not asked",
        why="no request can be made with what the store says",
        hint="Check server for an empty or very long part of its name, and namespace for line breaks.",
    )


def _broken(broken: Exception) -> PlumblineError:
    """Without the address, which is somebody's to choose."""
    inner = getattr(broken, "os_error", None) or getattr(broken, "certificate_error", None) or broken
    if isinstance(inner, RefusedHereError):
        return refused()
    if isinstance(inner, ssl.SSLError):
        return Unreachable(
            "Vault cannot be reached",
            sent=False,
            why="its certificate is not trusted, or it does not take ours",
            hint="Set caBundle or caProvider to the authority that signed it.",
        )
    return Unreachable("Vault cannot be reached", why=type(inner).__name__)
