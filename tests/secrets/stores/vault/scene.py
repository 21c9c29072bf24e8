"""A store in a Vault of our own, and the cluster that has its credentials."""

import base64
from contextlib import asynccontextmanager

from tests.secrets.vaults import vault

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import Unresolved
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.vault import VaultProvider
from plumbline.kinds.values import converted
from plumbline.secrets.stores.store import Selector
from plumbline.secrets.stores.vault import Vaults

IDENTITY = ("SecretStore", "team", "vault")
READ_ALL = {"secret/*": ["read", "list"], "kv/*": ["read", "list"]}


class Held:
    """Secrets, config maps and service accounts: what was asked of it is in `asked`."""

    client = None

    def __init__(self, **secrets):
        self.secrets = {name.replace("_", "-"): entries for name, entries in secrets.items()}
        self.maps = {}
        self.asked = []
        self.tokens = []

    async def secret(self, selector):
        self.asked.append(selector)
        try:
            return Plaintext(self.secrets[selector.name][selector.key])
        except KeyError:
            raise Unresolved("no such secret", sought=("", "Secret", "team", selector.name)) from None

    async def config_map(self, selector):
        self.asked.append(selector)
        return self.maps[selector.name][selector.key]

    async def token(self, account, audiences, lifetime_s):
        self.tokens.append((account, audiences, lifetime_s))
        return Plaintext(jwt(account.name, account.namespace or "team", audiences))


def jwt(name, namespace="team", audiences=()):
    claims = {
        "aud": list(audiences),
        "sub": f"system:serviceaccount:{namespace}:{name}",
        "kubernetes.io": {"namespace": namespace, "serviceaccount": {"name": name, "uid": "1"}},
    }
    parts = ({"alg": "RS256", "typ": "JWT"}, claims)
    return ".".join([*(base64.urlsafe_b64encode(encode(each)).decode().rstrip("=") for each in parts), "c2lnbmVk"])


def provider(at, /, auth=None, **fields):
    spec = {"server": at.url, "path": "secret", "auth": auth, **fields}
    return converted({key: value for key, value in spec.items() if value is not None}, VaultProvider)


class Scene:
    def __init__(self, server, clock):
        self.server = server
        self.clock = clock
        self.vaults = Vaults(clock)
        self.cluster = Held(login={"token": server.root})

    async def store(self, auth=None, identity=IDENTITY, **fields):
        """With the root token unless something else is said."""
        auth = auth or {"tokenSecretRef": {"name": "login", "key": "token"}}
        return await self.vaults.opened(provider(self.server, auth, **fields), self.cluster, identity)

    async def approle_store(self, identity=IDENTITY, paths=READ_ALL, spec=None, **fields):
        """Logged in through a role of its own, made at the first call of a test."""
        if "approle" not in self.cluster.secrets:
            role_id, secret_id = self.server.approle("app", paths, **fields)
            self.cluster.secrets["approle"] = {"role": role_id, "secret": secret_id + "\n"}
        auth = {
            "appRole": {
                "path": "approle",
                "roleRef": {"name": "approle", "key": "role"},
                "secretRef": {"name": "approle", "key": "secret"},
            }
        }
        return await self.store(auth, identity, **(spec or {}))


@asynccontextmanager
async def scene(clock=None, **fields):
    clock = clock or VirtualClock()
    async with vault(clock, **fields) as server:
        made = Scene(server, clock)
        try:
            yield made
        finally:
            await made.vaults.close()


ROLE_REF = Selector("approle", "role")
