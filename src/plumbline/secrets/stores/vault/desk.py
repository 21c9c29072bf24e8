"""Logging in to Vault, and what else is done with a token of one's own."""

from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import GarbledReply, Unauthenticated
from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.vault.logins import Login
from plumbline.secrets.stores.vault.replies import SUCCESSES, fault, login_fault
from plumbline.secrets.stores.vault.tokens import Token
from plumbline.secrets.stores.vault.wire import Call, Place, Reply, Wire

_NOTHING: Final = Plaintext("{}")


class VaultDesk:
    """*namespace* is that of Vault in which the login is made, and the token is at home."""

    def __init__(self, wire: Wire, place: Place, login: Login, *, namespace: str, clock: Clock) -> None:
        self._wire = wire
        self._place = place
        self._login = login
        self._namespace = namespace
        self._clock = clock

    async def login(self) -> Token:
        body = await self._login.body()
        # Time is counted from before it is asked for: what counts is when Vault gave it.
        now_s = self._clock.monotonic()
        reply = await self._wire.send(self._place, Call("POST", self._login.path, body=body, namespace=self._namespace))
        if reply.status not in SUCCESSES:
            raise login_fault(reply)
        token = _token(_auth(reply), now_s)
        if self._place.consistent:
            token.states.note(reply.state)
        return token

    async def renew(self, token: Token) -> float:
        reply = await self._own("auth/token/renew-self", token)
        if reply.status not in SUCCESSES:
            raise fault(reply, "The token for Vault cannot be renewed")
        return _seconds(_auth(reply).get("lease_duration"))

    async def revoke(self, token: Token) -> None:
        await self._own("auth/token/revoke-self", token)

    async def _own(self, path: str, token: Token) -> Reply:
        call = Call("POST", path, body=_NOTHING, token=token.value, namespace=self._namespace, states=token.states.seen)
        return await self._wire.send(self._place, call)


def _auth(reply: Reply) -> JsonObject:
    auth = reply.body.get("auth")
    if not isinstance(auth, dict):
        raise GarbledReply(
            "Vault does not let us in", why="its answer has no token", hint="Check the path of the method."
        )
    return auth


def _token(auth: JsonObject, now_s: float) -> Token:
    value = auth.get("client_token")
    if not isinstance(value, str) or not value or not value.isascii() or not value.isprintable():
        raise Unauthenticated(
            "Vault does not let us in",
            why="it gave no token, which it does where somebody has to confirm the login",
            hint="Use a role that asks for no second factor.",
        )
    # Batch tokens are kept by nobody: there is nothing to renew or to revoke.
    batch = auth.get("token_type") == "batch"
    return Token(
        Plaintext(value),
        made_s=now_s,
        lease_s=_seconds(auth.get("lease_duration")),
        renewable=auth.get("renewable") is True and not batch,
        revocable=not batch,
        few_uses=_seconds(auth.get("num_uses")) > 0,
    )


def _seconds(value: Json) -> float:
    return float(value) if isinstance(value, int) and value > 0 else 0.0
