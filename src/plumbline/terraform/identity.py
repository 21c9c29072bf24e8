"""Who a run is for the cluster: the object's service account, with a token that ends soon after the run."""

import base64
import contextlib
from typing import Final, NamedTuple

from plumbline.base.errors import AlreadyExists, NotFound, Unresolved
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.gate.gate import Gate
from plumbline.gate.intents import Intent
from plumbline.gate.writes import Creating
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kernel.installing import AS_US
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource, Ref

DEFAULT_ACCOUNT: Final = "tf-runner"
_ACCOUNTS: Final = GroupVersionResource("", "v1", "serviceaccounts")
_ROLES: Final = GroupVersionResource("rbac.authorization.k8s.io", "v1", "roles")
_BINDINGS: Final = GroupVersionResource("rbac.authorization.k8s.io", "v1", "rolebindings")
_ROLE: Final = "plumbline-tf-runner"
_US: Final = Actor("controller", "terraform")
_SPARE_S: Final = 1800
"""For a run that is over its time, and saves what it has done."""


class Reach(NamedTuple):
    """How the cluster is reached from where runs are."""

    server: str
    authorities: bytes


class Identities:
    def __init__(self, client: Client, gate: Gate, reach: Reach) -> None:
        self._client, self._gate, self._reach = client, gate, reach

    async def kubeconfig(self, namespace: str, account: str, for_s: float) -> Plaintext:
        """For the backend that keeps the state in Secrets: with it the tool is this account and nobody else, for so long."""
        token = await self._token(namespace, account, for_s)
        cluster = {
            "server": self._reach.server,
            "certificate-authority-data": base64.b64encode(self._reach.authorities).decode(),
        }
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "here", "cluster": cluster}],
            "users": [{"name": account, "user": {"token": token.reveal().decode()}}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": account, "namespace": namespace}}],
            "current-context": "here",
        }
        return Plaintext(encode(config))

    async def settle(self, namespace: str, account: str) -> None:
        """The account is there once this returns. Raises Unresolved where it is not ours to make."""
        if not await self._is_there(Target(_ACCOUNTS, namespace, account)):
            await self._make(namespace, account)

    async def _make(self, namespace: str, account: str) -> None:
        if account != DEFAULT_ACCOUNT:
            raise Unresolved(
                f"There is no ServiceAccount {account} in namespace {namespace}",
                hint="Make it, and let it read and write Secrets and Leases there, or leave spec.serviceAccountName out.",
                sought=Ref("", "ServiceAccount", namespace, account),
            )
        await self._founded(namespace)

    async def _token(self, namespace: str, account: str, for_s: float) -> Plaintext:
        """A new one each time: one that is kept outlives the account that it is of, and ends before some run does."""
        try:
            reply = await self._requested(namespace, account, for_s)
        except NotFound:
            await self._make(namespace, account)
            reply = await self._requested(namespace, account, for_s)
        return Plaintext(decode(reply)["status"]["token"])

    async def _requested(self, namespace: str, account: str, for_s: float) -> bytes:
        wanted = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": int(for_s + _SPARE_S)},
        }
        return await self._client.create(Target(_ACCOUNTS, namespace, account, "token"), encode(wanted))

    async def _founded(self, namespace: str) -> None:
        """The account that everybody gets who names none: it may keep state in its namespace, and nothing else."""
        # The account is the last: whoever finds it, finds it with its rights.
        for resource, body in ((_ROLES, _role()), (_BINDINGS, _binding(namespace)), (_ACCOUNTS, _account())):
            metadata = {
                **body["metadata"],
                "namespace": namespace,
                "labels": {"app.kubernetes.io/managed-by": "plumbline"},
            }
            obj = {**body, "metadata": metadata}
            target = Target(resource, namespace, metadata["name"])
            if await self._is_there(target):
                continue
            intent = Intent(
                actor=_US,
                subject=LiveObject.at("in-cluster", Ref.of(obj)),
                verb="create",
                why="Runs of Terraform objects without an account of their own need one",
            )
            with contextlib.suppress(AlreadyExists):  # two runs may begin at once
                await self._gate.perform(intent, Creating(self._client, target.collection, encode(obj), AS_US))

    async def _is_there(self, target: Target) -> bool:
        try:
            await self._client.get(target)
        except NotFound:
            return False
        return True


def _account() -> JsonObject:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": DEFAULT_ACCOUNT}}


def _role() -> JsonObject:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": _ROLE},
        "rules": [
            {"apiGroups": [""], "resources": ["secrets"], "verbs": ["*"]},
            {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"]},
        ],
    }


def _binding(namespace: str) -> JsonObject:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": _ROLE},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": _ROLE},
        "subjects": [{"kind": "ServiceAccount", "name": DEFAULT_ACCOUNT, "namespace": namespace}],
    }
