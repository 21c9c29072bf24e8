"""How the API server that keeps a store's secrets is reached, and as whom."""

from contextlib import AbstractAsyncContextManager
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.common import SecretKeySelector, ServiceAccountSelector
from plumbline.kinds.externalsecrets.providers import (
    KubernetesAuth,
    KubernetesCertAuth,
    KubernetesProvider,
    KubernetesServer,
    KubernetesTokenAuth,
)
from plumbline.kube.client import Client, Connection
from plumbline.kube.client.parts import Certificate, ServerTrust, User
from plumbline.managed.endpoints import parsed
from plumbline.secrets.stores.store import Cluster, Selector

_WHAT: Final = "The store cannot be used"
_TOKEN_S: Final = 3600
_OWN: Final = frozenset(
    f"{host}{tail}{port}"
    for host in ("kubernetes.default", "https://kubernetes.default")
    for tail in ("", ".svc", ".svc.cluster.local")
    for port in ("", ":443")
)


async def client_for(spec: KubernetesProvider, cluster: Cluster) -> AbstractAsyncContextManager[Client]:
    """Opens the server of *spec* as whom it says."""
    if spec.auth_ref is not None:
        kubeconfig = await cluster.secret(_selector(spec.auth_ref))
        # Whoever writes it is not who runs this program: nothing is run or read for it.
        connection = Connection.parse(kubeconfig.reveal(), f"authRef {spec.auth_ref.name}")
        return Client.connect(connection)
    own = spec.server.url.rstrip("/") in _OWN
    match spec.auth:
        case KubernetesAuth(cert=KubernetesCertAuth() as cert, token=None, service_account=None):
            return Client.connect(await _elsewhere(spec.server, cluster, await _certificate(cert, cluster)))
        case KubernetesAuth(cert=None, token=KubernetesTokenAuth(bearer_token=ref), service_account=None):
            token = Plaintext((await cluster.secret(_selector(ref))).reveal().strip())
        case KubernetesAuth(cert=None, token=None, service_account=ServiceAccountSelector() as account):
            token = await _token(account, cluster, own=own)
        case _:
            raise InvalidInput(
                _WHAT,
                why="no auth provider given, or several",
                hint="Set one of auth.cert, auth.token and auth.serviceAccount, or authRef.",
            )
    return cluster.bearing(token) if own else Client.connect(await _elsewhere(spec.server, cluster, User(token=token)))


async def _token(account: ServiceAccountSelector, cluster: Cluster, *, own: bool) -> Plaintext:
    if not own and not account.audiences:
        raise InvalidInput(
            _WHAT,
            why=f"A token of service account {account.name} that is good for this cluster would go to another server",
            hint="Name in auth.serviceAccount.audiences whom the token is for, or leave server.url out to mean this cluster.",
        )
    return await cluster.token(Selector(account.name, namespace=account.namespace), account.audiences, _TOKEN_S)


async def _certificate(cert: KubernetesCertAuth, cluster: Cluster) -> User:
    chain = await cluster.secret(_selector(cert.client_cert))
    return User(certificate=Certificate(chain.reveal(), await cluster.secret(_selector(cert.client_key))))


async def _elsewhere(server: KubernetesServer, cluster: Cluster, user: User) -> Connection:
    url = server.url if "://" in server.url else f"https://{server.url}"
    address = parsed(url)
    if address.origin.scheme != "https":
        raise InvalidInput(_WHAT, why="server.url is not https, so that credentials would go in the clear")
    trust = ServerTrust(await _authorities(server, cluster))
    return Connection(server=str(address), source=f"server {address}", trust=trust, user=user, compress=True)


async def _authorities(server: KubernetesServer, cluster: Cluster) -> bytes:
    """PEM; empty for those that this machine trusts."""
    provider = server.ca_provider
    if server.ca_bundle or provider is None:
        return server.ca_bundle
    selector = Selector(provider.name, provider.key, provider.namespace)
    if provider.type == "ConfigMap":
        return (await cluster.config_map(selector)).encode()
    return (await cluster.secret(selector)).reveal()


def _selector(ref: SecretKeySelector) -> Selector:
    return Selector(ref.name, ref.key, ref.namespace)
