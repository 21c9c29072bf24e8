"""A key engine of Vault, open for questions."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Protocol

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound, Unauthenticated
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.base.regex import compiled
from plumbline.secrets.stores.properties import entries_of
from plumbline.secrets.stores.store import Remote, Search
from plumbline.secrets.stores.vault.contents import document, keys_in, metadata_in, part, secret_in
from plumbline.secrets.stores.vault.paths import Mount
from plumbline.secrets.stores.vault.pushing import VaultSink
from plumbline.secrets.stores.vault.replies import SUCCESSES, fault, token_gone
from plumbline.secrets.stores.vault.search import MOST_FOUND, in_turns, names_below
from plumbline.secrets.stores.vault.tokens import Token
from plumbline.secrets.stores.vault.wire import Call, Place, Reply, Wire


class Holder(Protocol):
    """Has tokens: one now, and perhaps another if that is turned down."""

    async def current(self) -> Token: ...

    async def instead_of(self, token: Token, *, gone: bool) -> Token | None: ...

    async def close(self) -> None: ...


class VaultStore:
    """*namespace* is the one of Vault that the engine is in."""

    def __init__(self, wire: Wire, place: Place, mount: Mount, holder: Holder, *, namespace: str) -> None:
        self._wire = wire
        self._place = place
        self._mount = mount
        self._holder = holder
        self._namespace = namespace

    async def value(self, remote: Remote) -> Plaintext:
        whole = await self._whole(remote)
        return part(whole, remote.property, remote.key) if remote.property else whole

    async def entries(self, remote: Remote) -> Mapping[str, Plaintext]:
        return entries_of(await self.value(remote))

    async def search(self, search: Search) -> Mapping[str, Plaintext]:
        if search.tags and not self._mount.versioned:
            raise InvalidInput(
                "Secrets cannot be found by tags",
                why="a key engine of version 1 notes nothing about secrets",
                hint="Search by name, or use an engine of version 2.",
            )
        pattern = compiled(search.name) if search.name else None
        path = search.path.strip("/")
        listed = await names_below(f"{path}/" if path else "", self._listed)
        fitting = [name for name in listed if pattern is None or pattern.matches(name)]
        if search.tags:
            tagged = await in_turns(fitting, lambda name: self._tagged(name, search.tags))
            fitting = [name for name, fits in zip(fitting, tagged, strict=True) if fits]
        if len(fitting) > MOST_FOUND:
            raise LimitExceeded(
                "The search finds too much", why=f"more than {MOST_FOUND:,} secrets fit", hint="Search for less."
            )
        found = await in_turns(fitting, self._there)
        return {name: value for name, value in zip(fitting, found, strict=True) if value is not None}

    async def check(self) -> bool:
        """Whether the token is one, and the mount a key engine of the version that is said, as far as it may be known."""
        reply = await self._ask(Call("GET", "auth/token/lookup-self"))
        if reply.status == HTTPStatus.FORBIDDEN:
            raise Unauthenticated(
                "Vault does not take the token",
                why="it may not even look at itself",
                hint="Check that it has not ended, and that it has the policy default.",
            )
        if reply.status not in SUCCESSES:
            raise fault(reply, "The token for Vault cannot be looked at")
        if self._mount.path:
            mounted = await self._ask(Call("GET", f"sys/internal/ui/mounts/{self._mount.path}"))
            if mounted.status in SUCCESSES:
                self._check_mount(mounted.content)
        return True

    async def close(self) -> None:
        await self._holder.close()

    def sink(self) -> VaultSink:
        return VaultSink(self._ask, self._mount)

    def _check_mount(self, mounted: JsonObject) -> None:
        what = f"The mount {self._mount.path} of Vault cannot be used"
        kind, options = mounted.get("type"), mounted.get("options")
        if kind not in {"kv", "generic"}:
            raise InvalidInput(what, why="it is no key engine", hint="Set path of the store to one of type kv.")
        versioned = isinstance(options, dict) and str(options.get("version")) == "2"
        if versioned != self._mount.versioned:
            found = "v2" if versioned else "v1"
            raise InvalidInput(what, why="it has another version", hint=f"Set version of the store to {found}.")

    async def _whole(self, remote: Remote) -> Plaintext:
        if not remote.metadata:
            return document(await self._secret(remote.key, remote.version))
        if not self._mount.versioned:
            raise InvalidInput(
                f"What is noted about {remote.key} cannot be read from Vault",
                why="a key engine of version 1 notes nothing",
                hint="Leave metadataPolicy at None.",
            )
        noted = metadata_in(await self._ask(Call("GET", self._mount.metadata(remote.key))), remote.key)
        return document(dict(noted))

    async def _secret(self, key: str, version: str) -> JsonObject:
        if version and not (version.isascii() and version.isdigit()):
            raise InvalidInput(f"{key} cannot be read from Vault", why="its version is no number")
        query = {"version": version} if version and self._mount.versioned else {}
        reply = await self._ask(Call("GET", self._mount.value(key), query))
        return secret_in(reply, key, versioned=self._mount.versioned)

    async def _there(self, name: str) -> Plaintext | None:
        """None where the latest version of what was listed is deleted."""
        try:
            return document(await self._secret(name, ""))
        except NotFound:
            return None

    async def _tagged(self, name: str, tags: Mapping[str, str]) -> bool:
        try:
            noted = metadata_in(await self._ask(Call("GET", self._mount.metadata(name))), name)
        except NotFound:
            return False
        return tags.items() <= noted.items()

    async def _listed(self, folder: str) -> tuple[str, ...]:
        reply = await self._ask(Call("GET", self._mount.folder(folder), {"list": "true"}))
        return keys_in(reply, folder or self._mount.path)

    async def _ask(self, call: Call) -> Reply:
        token = await self._holder.current()
        reply = await self._sent(call, token)
        if reply.status == HTTPStatus.FORBIDDEN:
            other = await self._holder.instead_of(token, gone=token_gone(reply))
            if other is not None:
                reply = await self._sent(call, other)
        return reply

    async def _sent(self, call: Call, token: Token) -> Reply:
        sent = call._replace(token=token.value, namespace=self._namespace, states=token.states.seen)
        reply = await self._wire.send(self._place, sent)
        if self._place.consistent:
            token.states.note(reply.state)
        return reply
