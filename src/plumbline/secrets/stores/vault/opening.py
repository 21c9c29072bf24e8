"""Stores in Vault, opened: one pool of connections and one keeping of tokens for all of them."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.vault import VaultProvider
from plumbline.secrets.stores.store import Cluster
from plumbline.secrets.stores.vault.desk import VaultDesk
from plumbline.secrets.stores.vault.digest import Digest
from plumbline.secrets.stores.vault.logins import login_of, token
from plumbline.secrets.stores.vault.paths import Mount
from plumbline.secrets.stores.vault.reach import server_of
from plumbline.secrets.stores.vault.store import Holder, VaultStore
from plumbline.secrets.stores.vault.tokens import Given, Identity, Lent, Tokens
from plumbline.secrets.stores.vault.trust import Contexts
from plumbline.secrets.stores.vault.wire import Place, Wire

_OURS: Final = frozenset(
    {
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "x-vault-index",
        "x-vault-namespace",
        "x-vault-token",
        "x-vault-wrap-ttl",
    }
)
"""Headers that say what the spec has fields for, or that would make the answer another one."""
_TOKEN_SIGNS: Final = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")


class Vaults:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wire = Wire()
        self._digest = Digest()
        self._contexts = Contexts(self._digest)
        self._tokens = Tokens(clock)

    async def opened(self, spec: VaultProvider, cluster: Cluster, identity: Identity) -> VaultStore:
        """A store that nobody was asked about yet: the first question logs in.

        *identity* says whose credentials those are that the spec names: kind, namespace and name of the store, and for a
        ClusterSecretStore that reads them where the asking ExternalSecret is, its namespace. Openings with the same one share
        a token, so what it leaves out is shared too.
        """
        place = Place(
            server_of(spec.server),
            await self._contexts.context(spec, cluster),
            _headers(spec),
            consistent=spec.read_your_writes or spec.forward_inconsistent,
        )
        mount = Mount((spec.path or "").strip("/"), versioned=spec.version == "v2")
        holder = await self._holder(spec, cluster, identity, place)
        return VaultStore(self._wire, place, mount, holder, namespace=spec.namespace or "")

    async def forget(self, identity: Identity) -> None:
        """Revoke what a store that is gone was logged in with. The beginning of an identity stands for all that have it."""
        await self._tokens.forget(identity)

    async def close(self) -> None:
        await self._tokens.close()
        await self._wire.close()

    async def _holder(self, spec: VaultProvider, cluster: Cluster, identity: Identity, place: Place) -> Holder:
        auth = spec.auth
        if auth is None:
            return Given(None)
        if auth.token_secret_ref:
            return Given(await token(auth.token_secret_ref, cluster))
        login = await login_of(auth, cluster)
        namespace = (spec.namespace if auth.namespace is None else auth.namespace) or ""
        desk = VaultDesk(self._wire, place, login, namespace=namespace, clock=self._clock)
        told = encode((place.server, namespace, sorted((name, text) for name, text in spec.headers.items())))
        return Lent(self._tokens, identity, self._digest(told, login.version.reveal()), desk)


def _headers(spec: VaultProvider) -> Mapping[str, Plaintext]:
    for name, value in spec.headers.items():
        if name.lower() in _OURS or not name or not _TOKEN_SIGNS.issuperset(name.lower()):
            raise InvalidInput(
                "A header for Vault cannot be sent",
                why=f"{name[:64]!r} is no name of a header, or one that is set from other fields",
                hint="Use namespace and auth of the store for what they are for.",
            )
        if not value.isascii() or not value.isprintable():
            raise InvalidInput("A header for Vault cannot be sent", why=f"the value of {name!r} has control characters")
    made = {name: Plaintext(value) for name, value in spec.headers.items()}
    if spec.read_your_writes and spec.forward_inconsistent:
        made["X-Vault-Inconsistent"] = Plaintext("forward-active-node")
    return made
