"""Which store a spec means, opened. What a sort of store is made with is loaded when there is one of it."""

from typing import TYPE_CHECKING, Final, NamedTuple

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.clock import Clock
from plumbline.base.environment import environment
from plumbline.base.errors import InvalidInput
from plumbline.kinds.externalsecrets.providers import AwsProvider, FakeProvider, SecretStoreProvider
from plumbline.kinds.externalsecrets.secretstore import SecretStoreSpec
from plumbline.kinds.externalsecrets.vault import VaultProvider
from plumbline.kube.client import Client
from plumbline.managed.endpoints import NO_OTHERS, Endpoints
from plumbline.secrets.stores import fake
from plumbline.secrets.stores.cluster import Bearing, Standing, StandingCluster
from plumbline.secrets.stores.store import Cluster, Store

if TYPE_CHECKING:
    from plumbline.secrets.stores.aws import Sessions
    from plumbline.secrets.stores.vault import Vaults

SPOKEN: Final = ("aws", "fake", "kubernetes", "vault")


class Allowed(NamedTuple):
    """What the installation lets stores do."""

    endpoints: Endpoints = NO_OTHERS
    """Servers that may stand in for those of AWS, where the environment of this program names them."""
    own_identity: bool = False
    """Whether a SecretStore may be in AWS who this program is. A ClusterSecretStore always may: only who looks after the whole
    cluster writes one, and its conditions say who uses it. A SecretStore is written by whoever has the namespace."""


NOTHING_MORE: Final = Allowed()


class Stores:
    """Opens stores. `close` when done."""

    def __init__(
        self,
        client: Client,
        bearing: Bearing,
        clock: Clock,
        allowed: Allowed = NOTHING_MORE,
        *,
        aside: Aside = in_a_thread,
    ) -> None:
        self._client = client
        self._bearing = bearing
        self._clock = clock
        self._allowed = allowed
        self._aside = aside
        self._vaults: Vaults | None = None
        self._sessions: Sessions | None = None

    async def opened(self, spec: SecretStoreSpec, standing: Standing, *, named: str = "") -> Store:
        """The store, to be closed by whoever asked. *named* is what the object calls its provider, spoken here or not.

        Raises InvalidInput unless there is exactly one provider, and one that is spoken; Unresolved, without a namespace in what
        is sought, where a ClusterSecretStore leaves that to the ExternalSecret that asks and none does; and whatever else keeps
        the store from being opened.
        """
        provider = spec.provider
        _require_one(provider, named)
        cluster = StandingCluster(self._client, standing, self._bearing)
        if provider.aws is not None:
            return await self._aws(provider.aws, cluster, standing)
        if provider.vault is not None:
            return await self._vault(provider.vault, cluster, standing)
        if provider.kubernetes is not None:
            from plumbline.secrets.stores import kubernetes  # noqa: PLC0415 - see the module

            return await kubernetes.opened(provider.kubernetes, cluster)
        return fake.opened(provider.fake or FakeProvider(data=()))

    async def forget(self, kind: str, namespace: str, name: str) -> None:
        """Sign out of what a store that is gone was signed in to."""
        if self._vaults is not None:
            await self._vaults.forget((kind, namespace, name))
        if self._sessions is not None:
            self._sessions.forget((kind, namespace, name))

    async def close(self) -> None:
        if self._vaults is not None:
            await self._vaults.close()

    async def _aws(self, provider: AwsProvider, cluster: Cluster, standing: Standing) -> Store:
        from plumbline.secrets.stores import aws  # noqa: PLC0415 - see the module

        if self._sessions is None:
            self._sessions = aws.Sessions(self._clock)
        places = aws.Places.of(environment(), self._allowed.endpoints)
        # Credentials that a ClusterSecretStore finds where it is asked from are told apart by what they are.
        owner = (standing.kind, "" if standing.cluster_wide else standing.namespace, standing.name)
        return await aws.opened(
            provider,
            cluster,
            aws.Taking(places, self._sessions, owner),
            own_identity=standing.cluster_wide or self._allowed.own_identity,
            aside=self._aside,
        )

    async def _vault(self, provider: VaultProvider, cluster: Cluster, standing: Standing) -> Store:
        from plumbline.secrets.stores.vault import Vaults, referent  # noqa: PLC0415 - see the module

        if self._vaults is None:
            self._vaults = Vaults(self._clock)
        if not standing.cluster_wide:
            identity: tuple[str, ...] = (standing.kind, standing.namespace, standing.name)
        elif referent(provider):
            identity = (standing.kind, "", standing.name, standing.namespace)
        else:
            identity = (standing.kind, "", standing.name)
        return await self._vaults.opened(provider, cluster, identity)


def _require_one(said: SecretStoreProvider, named: str) -> None:
    given = [name for name in SPOKEN if getattr(said, name) is not None]
    spoken = ", ".join(SPOKEN)
    if len(given) == 1 and named in ("", *given):
        return
    if named and named not in SPOKEN:
        why, hint = f"Provider {named} is not spoken here", f"Those that are: {spoken}."
    elif given:
        why, hint = f"It has several providers: {', '.join(given)}", "Keep one."
    else:
        why, hint = "It has no provider", f"Set one of {spoken}."
    raise InvalidInput("The store cannot be used", why=why, hint=hint)
