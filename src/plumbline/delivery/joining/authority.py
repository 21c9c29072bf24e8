"""The account that we come as: made on the other cluster with its roles, its token read, renewed, and taken away."""

import asyncio
import base64
from typing import Final

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.errors import AlreadyExists, InvalidInput, NotFound, TimedOut
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource

SECRETS: Final = GroupVersionResource("", "v1", "secrets")
AS_PERSON: Final = Writing(field_manager="plumb")
ACCOUNT: Final = "argocd-manager"
_ROLE: Final = "argocd-manager-role"
_BINDING: Final = "argocd-manager-role-binding"
_SUFFIX: Final = "-long-lived-token"
_RBAC: Final = "rbac.authorization.k8s.io"
_ACCOUNTS: Final = GroupVersionResource("", "v1", "serviceaccounts")
_EVERYTHING: Final = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
_WITHIN_S: Final = 30.0
_EVERY_S: Final = 0.5


class Authority:
    """*home* is the namespace of the account."""

    def __init__(self, client: Client, home: str, clock: Clock | None = None) -> None:
        self._client = client
        self._home = home
        self._clock = clock or SystemClock()

    async def install(self, namespaces: tuple[str, ...]) -> str:
        """The account with every right, everywhere or in *namespaces*; its token."""
        account: JsonObject = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT, "namespace": self._home}}  # fmt: skip
        await self._create(Target(_ACCOUNTS, self._home), account)
        if not namespaces:
            rules = [_EVERYTHING, {"nonResourceURLs": ["*"], "verbs": ["*"]}]
            await self._put("ClusterRole", "", _ROLE, {"rules": rules})
            await self._put("ClusterRoleBinding", "", _BINDING, self._bound("ClusterRole"))
        for namespace in namespaces:
            await self._put("Role", namespace, _ROLE, {"rules": [_EVERYTHING]})
            await self._put("RoleBinding", namespace, _BINDING, self._bound("Role"))
        return await self.token(ACCOUNT)

    async def token(self, account: str) -> str:
        """That lasts, of an account that is there."""
        body: JsonObject = {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "kubernetes.io/service-account-token",
            "metadata": {
                "name": f"{account}{_SUFFIX}",
                "namespace": self._home,
                "annotations": {"kubernetes.io/service-account.name": account},
            },
        }
        await self._create(Target(SECRETS, self._home), body)
        return await self._filled(f"{account}{_SUFFIX}")

    async def renewed(self, token: str) -> tuple[str, str]:
        """Another token for the same account, and the name of the Secret that the old one is from."""
        name = secret_in(token)
        old = decode(await self._client.get(Target(SECRETS, self._home, name)))
        body: JsonObject = {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "kubernetes.io/service-account-token",
            "metadata": {
                "generateName": f"{name.rpartition('-')[0] or name}-",
                "namespace": self._home,
                "annotations": {
                    key: value
                    for key, value in (old["metadata"].get("annotations") or {}).items()
                    if key == "kubernetes.io/service-account.name"
                },
            },
        }
        made = decode(await self._client.create(Target(SECRETS, self._home), encode(body), AS_PERSON))
        return await self._filled(str(made["metadata"]["name"])), name

    async def forget(self, secret: str) -> None:
        await self._client.delete(Target(SECRETS, self._home, secret))

    async def uninstall(self) -> None:
        """The account and its roles over everything; those that are gone already are no matter."""
        for kind, name in (("clusterrolebindings", _BINDING), ("clusterroles", _ROLE)):
            await self._gone(Target(GroupVersionResource(_RBAC, "v1", kind), "", name))
        await self._gone(Target(_ACCOUNTS, self._home, ACCOUNT))

    def _bound(self, kind: str) -> JsonObject:
        subject = {"kind": "ServiceAccount", "name": ACCOUNT, "namespace": self._home}
        return {"roleRef": {"apiGroup": _RBAC, "kind": kind, "name": _ROLE}, "subjects": [subject]}

    async def _put(self, kind: str, namespace: str, name: str, content: JsonObject) -> None:
        target = Target(GroupVersionResource(_RBAC, "v1", f"{kind.lower()}s"), namespace, name)
        metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
        body = {"apiVersion": f"{_RBAC}/v1", "kind": kind, "metadata": metadata, **content}
        try:
            await self._client.create(target.collection, encode(body), AS_PERSON)
        except AlreadyExists:
            live = decode(await self._client.get(target))
            await self._client.update(target, encode({**live, **content}), AS_PERSON)

    async def _create(self, target: Target, body: JsonObject) -> None:
        try:
            await self._client.create(target, encode(body), AS_PERSON)
        except AlreadyExists:
            return

    async def _gone(self, target: Target) -> None:
        try:
            await self._client.delete(target)
        except NotFound:
            return

    async def _filled(self, name: str) -> str:
        """The token in a Secret, once the cluster has written it there."""
        try:
            async with asyncio.timeout(_WITHIN_S):
                while True:
                    secret = decode(await self._client.get(Target(SECRETS, self._home, name)))
                    token = (secret.get("data") or {}).get("token")
                    if token:
                        return base64.b64decode(token).decode()
                    await self._clock.sleep(_EVERY_S)
        except TimeoutError:
            why = f"nobody filled the Secret {self._home}/{name} within {_WITHIN_S:g} s"
            hint = "Its kube-controller-manager does that. Or bring a token with --exec-command."
            raise TimedOut("the cluster gives no token", why=why, hint=hint) from None


def secret_in(token: str) -> str:
    """The Secret that a token of a service account is from. Raises InvalidInput where it is another kind of token."""
    part = token.split(".")[1] if token.count(".") == 2 else ""  # noqa: PLR2004 - head, claims, signature
    try:
        claims = decode(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        claims = {}
    name = claims.get("kubernetes.io/serviceaccount/secret.name") if isinstance(claims, dict) else ""
    if not name:
        raise InvalidInput("the token of this cluster cannot be renewed", why="it is none from a Secret of an account")
    return str(name)
