"""How a store logs in: which credential of the cluster goes where. What they hold is read here and nowhere else."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.common import SecretKeySelector, ServiceAccountSelector
from plumbline.kinds.externalsecrets.vault import (
    VaultAppRole,
    VaultAuth,
    VaultJwtAuth,
    VaultKubernetesAuth,
    VaultLdapAuth,
    VaultUserPassAuth,
)
from plumbline.secrets.stores.store import Cluster, Selector

_LIFETIME_S: Final = 600
_SPOKEN: Final = "tokenSecretRef, appRole, kubernetes, ldap, userPass, jwt and cert"


class Login(NamedTuple):
    path: str
    body: Callable[[], Awaitable[Plaintext]]
    """Made anew for each login: tokens of service accounts live for minutes."""
    version: Plaintext
    """What the credential is, as far as it stays the same from login to login. Another one means another login."""


def at(selector: SecretKeySelector, key: str = "") -> Selector:
    return Selector(selector.name, selector.key or key, selector.namespace)


async def token(selector: SecretKeySelector, cluster: Cluster) -> Plaintext:
    """A token that somebody put there. Raises InvalidInput for what cannot be sent as one."""
    given = _text(await cluster.secret(at(selector)))
    if not given.isascii() or not given.isprintable() or " " in given or not given:
        raise InvalidInput(
            "The token for Vault cannot be used", why=f"{selector.name} has something else under {selector.key}"
        )
    return Plaintext(given)


async def login_of(auth: VaultAuth, cluster: Cluster) -> Login:
    """The first method that is said, in upstream's order. Raises InvalidInput for those that are not spoken."""
    if auth.app_role:
        return await _app_role(auth.app_role, cluster)
    if auth.kubernetes:
        return await _kubernetes(auth.kubernetes, cluster)
    if auth.ldap:
        return await _password(auth.ldap, cluster)
    if auth.user_pass:
        return await _password(auth.user_pass, cluster)
    if auth.jwt:
        return await _jwt(auth.jwt, cluster)
    if auth.cert:
        pair = [await cluster.secret(at(each)) for each in (auth.cert.client_cert, auth.cert.secret_ref)]
        return _fixed(f"auth/{auth.cert.path or 'cert'}/login", {}, b"\0".join(each.reveal() for each in pair))
    unspoken = "iam" if auth.iam else "gcp" if auth.gcp else ""
    raise InvalidInput(
        "Vault cannot be logged in to",
        why=f"the method {unspoken} is not supported" if unspoken else "auth names no method",
        hint=f"Use one of {_SPOKEN}.",
    )


async def _app_role(auth: VaultAppRole, cluster: Cluster) -> Login:
    if auth.role_id:
        role_id = auth.role_id.strip()
    elif auth.role_ref:
        role_id = _text(await cluster.secret(at(auth.role_ref)))
    else:
        raise InvalidInput("Vault cannot be logged in to", why="auth.appRole has neither roleId nor roleRef")
    secret_id = _text(await cluster.secret(at(auth.secret_ref)))
    return _fixed(f"auth/{auth.path or 'approle'}/login", {"role_id": role_id, "secret_id": secret_id})


async def _kubernetes(auth: VaultKubernetesAuth, cluster: Cluster) -> Login:
    path, role = f"auth/{auth.mount_path or 'kubernetes'}/login", auth.role
    if auth.service_account_ref:
        audiences = auth.service_account_ref.audiences
        return _account(path, role, _Asked(auth.service_account_ref, audiences, _LIFETIME_S, cluster))
    if auth.secret_ref:
        return _fixed(path, {"role": role, "jwt": _text(await cluster.secret(at(auth.secret_ref, "token")))})
    raise InvalidInput(
        "Vault cannot be logged in to",
        why="auth.kubernetes has neither serviceAccountRef nor secretRef, and our own identity is not lent",
        hint="Name a service account of the store's namespace in serviceAccountRef.",
    )


async def _jwt(auth: VaultJwtAuth, cluster: Cluster) -> Login:
    path, role = f"auth/{auth.path or 'jwt'}/login", auth.role.strip()
    asked = auth.kubernetes_service_account_token
    if auth.secret_ref:
        return _fixed(path, {"role": role, "jwt": _text(await cluster.secret(at(auth.secret_ref)))})
    if asked:
        account = asked.service_account_ref
        audiences = (*account.audiences, *(asked.audiences or ("vault",)))
        return _account(path, role, _Asked(account, audiences, asked.expiration_seconds or _LIFETIME_S, cluster))
    raise InvalidInput(
        "Vault cannot be logged in to", why="auth.jwt has neither secretRef nor kubernetesServiceAccountToken"
    )


async def _password(auth: VaultLdapAuth | VaultUserPassAuth, cluster: Cluster) -> Login:
    mount = auth.path or ("ldap" if isinstance(auth, VaultLdapAuth) else "userpass")
    # Passwords may begin and end with spaces; nothing is taken off.
    password = _decoded(await cluster.secret(at(auth.secret_ref)))
    return _fixed(f"auth/{mount}/login/{auth.username.strip()}", {"password": password})


class _Asked(NamedTuple):
    account: ServiceAccountSelector
    audiences: tuple[str, ...]
    lifetime_s: int
    cluster: Cluster

    async def token(self) -> str:
        selector = Selector(self.account.name, namespace=self.account.namespace)
        return _text(await self.cluster.token(selector, self.audiences, self.lifetime_s))


def _account(path: str, role: str, asked: _Asked) -> Login:
    async def body() -> Plaintext:
        return Plaintext(encode({"role": role, "jwt": await asked.token()}))

    constant = (path, role, asked.account.namespace, asked.account.name, asked.audiences, asked.lifetime_s)
    return Login(path, body, Plaintext(encode(constant)))


def _fixed(path: str, fields: dict[str, str], further: bytes = b"") -> Login:
    content = Plaintext(encode(fields))

    async def body() -> Plaintext:
        return content

    return Login(path, body, Plaintext(path.encode() + b"\0" + content.reveal() + further))


def _text(value: Plaintext) -> str:
    """Without the line's end that editors and `echo` leave."""
    return _decoded(value).strip()


def _decoded(value: Plaintext) -> str:
    try:
        return value.reveal().decode()
    except UnicodeDecodeError:
        raise InvalidInput("A credential for Vault cannot be used", why="it is no text") from None
