"""A Vault of our own: as much of its HTTP API as stores use, answering as the real one does, on loopback.

    async with vault(clock) as server:
        server.write("secret/app", {"user": "anna"})
        role_id, secret_id = server.approle("app", paths={"secret/data/*": ["read"]})

`secret` is a key engine of version 2 and `kv` one of version 1; `approle`, `kubernetes`, `jwt`, `userpass`, `ldap` and `cert` are
mounted under their names. Everything is also there over HTTP with `server.root` as the token, as in a server that was started
with -dev; `ask` is the same without HTTP. tests/conformance/secrets asks a real server the same questions.
"""

import itertools
from contextlib import asynccontextmanager

from aiohttp import web
from tests.secrets.vault_engines import VersionOne, VersionTwo, failed
from tests.secrets.vault_logins import METHODS
from tests.secrets.vault_tokens import DEFAULT_POLICY, TokenStore, allowed

from plumbline.base.clock import SystemClock
from plumbline.base.json import decode, encode

PERMISSION_DENIED = "1 error occurred:\n\t* permission denied\n\n"
INVALID_TOKEN = "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n"
_CAPABILITIES = {"GET": ["read"], "LIST": ["list"], "DELETE": ["delete"], "PATCH": ["patch"]}


class Vault:
    def __init__(self, clock=None, namespaces=()):
        self.clock = clock or SystemClock()
        self.url = ""
        self.sealed = False
        self.standby = False
        self.root = "hvs.root"
        self.asked = []
        """(method, path, namespace) of everything that came over HTTP, and the headers and bodies of it, in order."""
        self.headers = []
        self.bodies = []
        self.answers = []
        """(status, body, headers) to be given instead, one for each request that is not for sys/health."""
        self.index = ""
        self.tokens = TokenStore(self.clock, self.root)
        self.policies = {"default": DEFAULT_POLICY, "root": {"root": {}}}
        self.mounts = {}
        self._ids = itertools.count(1)
        for namespace in ("", *namespaces):
            self._mount_all(namespace)

    def _mount_all(self, namespace):
        self.mounts[namespace, "secret"] = VersionTwo(self.clock)
        self.mounts[namespace, "kv"] = VersionOne(self.clock)
        for name, method in METHODS.items():
            self.mounts[namespace, f"auth/{name}"] = method(self)

    # What tests say in Python

    def write(self, path, content, namespace=""):
        """To the mount that the path begins with; returns the version in an engine that has any."""
        mount, _, rest = path.partition("/")
        two = isinstance(self.mounts[namespace, mount], VersionTwo)
        where, body = (f"{mount}/data/{rest}", {"data": content}) if two else (path, content)
        answer = self._must("POST", where, body, namespace)
        return answer["data"]["version"] if two else None

    def note(self, path, tags, namespace=""):
        mount, _, rest = path.partition("/")
        self._must("POST", f"{mount}/metadata/{rest}", {"custom_metadata": tags}, namespace)

    def delete(self, path, namespace=""):
        """The latest version; it can be had back."""
        mount, _, rest = path.partition("/")
        two = isinstance(self.mounts[namespace, mount], VersionTwo)
        self._must("DELETE", f"{mount}/data/{rest}" if two else path, None, namespace)

    def destroy(self, path, *versions):
        mount, _, rest = path.partition("/")
        self._must("POST", f"{mount}/destroy/{rest}", {"versions": list(versions)})

    def policy(self, name, paths):
        self._must("PUT", f"sys/policies/acl/{name}", {"policy": encode(_acl(paths)).decode()})

    def token(self, paths, **fields):
        """A token that may do that much: {path: [capability]}."""
        name = f"policy-{next(self._ids)}"
        self.policy(name, paths)
        return self._must("POST", "auth/token/create", {"policies": [name], **fields})["auth"]["client_token"]

    def approle(self, name, paths, namespace="", uses=0, secret_ttl_s=0, **fields):
        """Its role id and a secret id. *fields* are those of the role, such as token_ttl, token_max_ttl, token_num_uses."""
        self.policy(name, paths)
        role = f"auth/approle/role/{name}"
        limits = {"secret_id_num_uses": uses, "secret_id_ttl": secret_ttl_s}
        self._must("POST", role, {"token_policies": [name], **limits, **fields}, namespace)
        role_id = self._must("GET", f"{role}/role-id", None, namespace)["data"]["role_id"]
        return role_id, self._must("POST", f"{role}/secret-id", {}, namespace)["data"]["secret_id"]

    def role(self, method, name, paths, **fields):
        """Of another method: those of kubernetes and jwt are at role/, those of cert at certs/, users at users/."""
        self.policy(name, paths)
        kind = {"kubernetes": "role", "jwt": "role", "cert": "certs"}.get(method, "users")
        self._must("POST", f"auth/{method}/{kind}/{name}", {"token_policies": [name], **fields})

    @property
    def living(self):
        """How many tokens there are that have not ended, besides the first one."""
        return len(self.tokens.living()) - 1

    @property
    def logins(self):
        return sum(method == "POST" and "/login" in path for method, path, _ in self.asked)

    def paths(self, word):
        return [path for _, path, _ in self.asked if word in path]

    def _must(self, method, path, body=None, namespace=""):
        status, answer = self.ask(method, path, body, namespace=namespace)
        assert status < 300, (method, path, status, answer)
        return answer

    # What Vault does

    def ask(self, method, path, body=None, *, query=None, token=None, namespace="", peer=None):
        """Status and body, as root if no token is said."""
        path, namespace = path.strip("/") + ("/" if path.endswith("/") else ""), namespace.strip("/")
        if path == "sys/health":
            return self._health()
        if path == "sys/seal-status":
            return 200, {"type": "shamir", "initialized": True, "sealed": self.sealed, "t": 1, "n": 1, "progress": 0}
        if self.sealed:
            return failed(503, "Vault is sealed")
        if method == "GET" and (query or {}).get("list") == "true":
            method = "LIST"
        mount, rest = self._found(namespace, path)
        if path.startswith("auth/") and mount and rest.split("/")[0] == "login":
            return self._wrapped(mount.login(rest.partition("/")[2], body or {}, namespace, peer))
        refused = self._refused(method, path, self.root if token is None else token, namespace)
        if refused:
            return refused
        return self._routed(method, path, body or {}, query or {}, token=token or self.root, namespace=namespace)

    def _health(self):
        body = {"initialized": True, "sealed": self.sealed, "standby": self.standby, "version": "1.21.4"}
        return (503 if self.sealed else 429 if self.standby else 200), body

    def _refused(self, method, path, token, namespace):
        entry = self.tokens.used(token)
        if entry is None or not f"{namespace}/".startswith(f"{entry.namespace}/" if entry.namespace else ""):
            return failed(403, INVALID_TOKEN if token else "permission denied")
        wanted = _CAPABILITIES.get(method, ["create", "update"])
        if not allowed([self.policies.get(each, {}) for each in entry.policies], path, wanted):
            return failed(403, PERMISSION_DENIED)
        return None

    def _routed(self, method, path, body, query, *, token, namespace):
        if path.startswith("auth/token/"):
            return self._wrapped(self.tokens.answer(path.removeprefix("auth/token/"), body, token))
        if path.startswith("sys/"):
            return self._wrapped(self._system(method, path.removeprefix("sys/"), body, token, namespace))
        mount, rest = self._found(namespace, path)
        if mount is None:
            return failed(404, f'no handler for route "{path}". route entry not found.')
        return self._wrapped(mount.answer(method, rest, body, query))

    def _found(self, namespace, path):
        for (within, name), mount in self.mounts.items():
            if within == namespace and (path + "/").startswith(name + "/"):
                return mount, path[len(name) + 1 :]
        return None, ""

    def _system(self, method, path, body, token, namespace):
        if path.startswith("policies/acl/") and method in {"PUT", "POST"}:
            self.policies[path.removeprefix("policies/acl/")] = decode(body["policy"].encode())["path"]
            return 204, None
        if path.startswith(("mounts/", "auth/")) and method in {"PUT", "POST"}:
            return self._mounted(path, body, namespace)
        if path.startswith("internal/ui/mounts/"):
            return self._described(path.removeprefix("internal/ui/mounts/"), token, namespace)
        return failed(404, f'no handler for route "sys/{path}". route entry not found.')

    def _mounted(self, path, body, namespace):
        name = path.removeprefix("mounts/")
        if (namespace, name) in self.mounts:
            return failed(400, f"path is already in use at {name}/")
        if path.startswith("auth/"):
            self.mounts[namespace, name] = METHODS[body["type"]](self)
        else:
            two = body["type"] == "kv-v2" or (body.get("options") or {}).get("version") == "2"
            self.mounts[namespace, name] = VersionTwo(self.clock) if two else VersionOne(self.clock)
        return 204, None

    def _described(self, path, token, namespace):
        mount, _ = self._found(namespace, path)
        policies = [self.policies.get(each, {}) for each in self.tokens.used(token, count=False).policies]
        some = mount and any(
            "root" in policy or any((name.rstrip("*") + "/").startswith(f"{path}/") for name in policy)
            for policy in policies
        )
        if not some:
            why = f'preflight capability check returned 403, please ensure client\'s policies grant access to path "{path}/"'
            return failed(403, why)
        options = {"version": "2"} if isinstance(mount, VersionTwo) else {"version": "1"}
        kind = "kv" if isinstance(mount, VersionOne | VersionTwo) else "other"
        return 200, {"data": {"type": kind, "options": options, "path": f"{path}/"}}

    def _wrapped(self, answer):
        status, body = answer
        if body is None or "errors" in body:
            return status, body
        envelope = {
            "request_id": f"00000000-0000-0000-0000-{next(self._ids):012}",
            "lease_id": "",
            "renewable": False,
            "lease_duration": 0,
            "data": None,
            "wrap_info": None,
            "warnings": None,
            "auth": None,
            "mount_type": "",
        }
        return status, {**envelope, **body}

    # What HTTP adds

    async def take(self, request):
        raw = await request.read()
        path = request.path.removeprefix("/v1/")
        namespace = request.headers.get("X-Vault-Namespace", "")
        self.asked.append((request.method, path, namespace))
        self.headers.append(request.headers)
        self.bodies.append(raw)
        if self.answers and path != "sys/health":
            status, body, headers = self.answers.pop(0)
            return web.Response(status=status, body=body, headers=headers)
        status, answer = self.ask(
            request.method,
            path,
            decode(raw) if raw else {},
            query=dict(request.query),
            token=request.headers.get("X-Vault-Token", ""),
            namespace=namespace,
            peer=request.transport.get_extra_info("peercert") if request.transport else None,
        )
        headers = {"Content-Type": "application/json", "Cache-Control": "no-store"}
        if self.index:
            headers["X-Vault-Index"] = self.index
        return web.Response(status=status, body=b"" if answer is None else encode(answer) + b"\n", headers=headers)


def _acl(paths):
    return {"path": {path: {"capabilities": capabilities} for path, capabilities in paths.items()}}


@asynccontextmanager
async def vault(clock=None, *, namespaces=(), ssl_context=None):
    server = Vault(clock, namespaces)
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", server.take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=ssl_context)
    await site.start()
    server.url = f"http{'s' if ssl_context else ''}://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await runner.cleanup()
