"""A control plane in this process with namespaces, a store's cluster on it, and people who write there."""

import base64
from contextlib import asynccontextmanager

from cryptography.hazmat.primitives.asymmetric import ec

from plumbline.apiserver.authentication.keys import SigningKey
from plumbline.apiserver.inprocess import InProcessTransport
from plumbline.apiserver.plane import Plane
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.secrets.stores.cluster import Standing, StandingCluster

SECRETS = GroupVersionResource("", "v1", "secrets")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
ACCOUNTS = GroupVersionResource("", "v1", "serviceaccounts")
_NAMESPACES = GroupVersionResource("", "v1", "namespaces")
_RBAC = "rbac.authorization.k8s.io"
_KEY = SigningKey(ec.generate_private_key(ec.SECP256R1()))


class Bearer:
    """A transport of nobody's, with a token."""

    def __init__(self, plane, token):
        self._door = InProcessTransport(plane.answer)
        self._token = token.reveal().decode()

    async def send(self, request):
        headers = (*request.headers, ("Authorization", f"Bearer {self._token}"))
        return await self._door.send(type(request)(request.method, request.path, request.query, headers, request.body))

    async def close(self): ...


class Yard:
    def __init__(self, plane):
        self.plane = plane
        self.client = Client(plane.transport())
        self.borne = []

    @asynccontextmanager
    async def bearing(self, token):
        self.borne.append(token)
        yield Client(Bearer(self.plane, token))

    def cluster(self, kind="SecretStore", namespace="shop"):
        return StandingCluster(self.client, Standing(kind, "vault", namespace), self.bearing)

    async def secret(self, namespace, name, entries, **metadata):
        coded = {
            key: base64.b64encode(value if isinstance(value, bytes) else value.encode()).decode()
            for key, value in entries.items()
        }
        await self.create(SECRETS, namespace, {"kind": "Secret", "metadata": {"name": name, **metadata}, "data": coded})

    async def account(self, namespace, name, **annotations):
        await self.create(
            ACCOUNTS, namespace, {"kind": "ServiceAccount", "metadata": {"name": name, "annotations": annotations}}
        )

    async def allow(self, account, namespace, *verbs, within=""):
        """Lets a service account do so with the Secrets of a namespace."""
        name = f"{account}-{namespace}"
        rules = [{"apiGroups": [""], "resources": ["secrets"], "verbs": list(verbs)}]
        subject = {"kind": "ServiceAccount", "name": account, "namespace": within or namespace}
        await self.create(
            GroupVersionResource(_RBAC, "v1", "roles"),
            namespace,
            {"kind": "Role", "metadata": {"name": name}, "rules": rules},
        )
        await self.create(
            GroupVersionResource(_RBAC, "v1", "rolebindings"),
            namespace,
            {
                "kind": "RoleBinding",
                "metadata": {"name": name},
                "subjects": [subject],
                "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": name},
            },
        )

    async def create(self, resource, namespace, body):
        return decode(
            await self.client.create(Target(resource, namespace), encode({"apiVersion": resource.api_version, **body}))
        )


@asynccontextmanager
async def yard():
    plane = Plane(SystemClock(), Ids(1), key=_KEY, controllers=False)
    async with plane.running():
        made = Yard(plane)
        for name in ("shop", "bank"):
            await made.create(_NAMESPACES, "", {"kind": "Namespace", "metadata": {"name": name}})
        yield made
