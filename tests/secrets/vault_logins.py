"""Ways of logging in to Vault: AppRole, tokens of service accounts, passwords, certificates. Part of `vaults`."""

import base64
import itertools

import msgspec
from tests.secrets.vault_engines import failed
from tests.secrets.vault_tokens import seconds

from plumbline.base.json import decode

_numbers = itertools.count(1)


class _Method:
    def __init__(self, server):
        self.server = server
        self.roles = {}

    def answer(self, method, path, body, query):
        """Roles, users and certificates are written and read alike."""
        kind, _, name = path.partition("/")
        if kind == "config":
            return 204, None
        if kind not in {"role", "users", "certs"}:
            return failed(404, f'no handler for route "{path}". route entry not found.')
        if method == "GET":
            return (200, {"data": self.roles[name]}) if name in self.roles else failed(404)
        if method == "DELETE":
            self.roles.pop(name, None)
            return 204, None
        self.roles[name] = {**self.roles.get(name, {}), **body}
        return 204, None

    def granted(self, role, namespace, metadata):
        status, body = self.server.tokens.made(
            role.get("token_policies", []),
            ttl=seconds(role.get("token_ttl", 0)),
            max_ttl=seconds(role.get("token_max_ttl", 0)),
            num_uses=int(role.get("token_num_uses", 0)),
            kind="batch" if role.get("token_type") == "batch" else "service",
            namespace=namespace,
        )
        body["auth"]["metadata"] = metadata
        return status, body


class AppRole(_Method):
    def __init__(self, server):
        super().__init__(server)
        self.secret_ids = {}

    def answer(self, method, path, body, query):
        _, _, rest = path.partition("/")
        name, _, what = rest.partition("/")
        if what == "role-id":
            return 200, {"data": {"role_id": self.roles[name]["role_id"]}}
        if what == "secret-id":
            return self._secret_id(name)
        if method in {"POST", "PUT"}:
            made = self.roles.get(name, {}).get("role_id") or f"role-{next(_numbers):06}"
            body = {"role_id": made, **body}
        return super().answer(method, path, body, query)

    def _secret_id(self, name):
        role, value = self.roles[name], f"secret-{next(_numbers):06}-canary"
        ttl_s = seconds(role.get("secret_id_ttl", 0))
        end_s = self.server.clock.monotonic() + ttl_s if ttl_s else 0
        self.secret_ids[value] = [name, int(role.get("secret_id_num_uses", 0)), end_s]
        data = {
            "secret_id": value,
            "secret_id_accessor": f"accessor-{value[7:13]}",
            "secret_id_num_uses": int(role.get("secret_id_num_uses", 0)),
            "secret_id_ttl": ttl_s,
        }
        return 200, {"data": data}

    def login(self, rest, body, namespace, peer):
        wrong = failed(400, "invalid role or secret ID")
        name = next((name for name, role in self.roles.items() if role["role_id"] == body.get("role_id")), None)
        if name is None:
            return wrong
        if not body.get("secret_id"):
            return failed(400, "missing secret_id")
        entry = self.secret_ids.get(body["secret_id"])
        if entry is None or entry[0] != name or (entry[2] and self.server.clock.monotonic() >= entry[2]):
            return wrong
        if entry[1] == 1:
            del self.secret_ids[body["secret_id"]]
        entry[1] = max(entry[1] - 1, 0)
        return self.granted(self.roles[name], namespace, {"role_name": name})


class Tokened(_Method):
    """Kubernetes and JWT. Signatures are not looked at: whoever tests has no key that both sides know."""

    def login(self, rest, body, namespace, peer):
        role = self.roles.get(body.get("role"))
        if role is None:
            return failed(400, f'invalid role name "{body.get("role")}"')
        claims = _claims(body.get("jwt", ""))
        if claims is None:
            return failed(400, "error parsing token: malformed jwt")
        refused = self._refused(role, claims)
        return refused or self.granted(role, namespace, {"role": body["role"]})

    def _refused(self, role, claims):
        audiences = claims.get("aud", [])
        audiences = [audiences] if isinstance(audiences, str) else audiences
        wanted = [role["audience"]] if role.get("audience") else role.get("bound_audiences", [])
        if wanted and not set(wanted) & set(audiences):
            return failed(403, "invalid audience (aud) claim: audience claim does not match any bound audience")
        within, name = _account(claims)
        names, namespaces = role.get("bound_service_account_names"), role.get("bound_service_account_namespaces")
        if namespaces and "*" not in namespaces and within not in namespaces:
            return failed(403, "namespace not authorized")
        if names and "*" not in names and name not in names:
            return failed(403, "service account name not authorized")
        return None


def _claims(jwt):
    parts = jwt.split(".")
    try:
        head, claims = (decode(base64.urlsafe_b64decode(each + "=" * (-len(each) % 4))) for each in parts[:2])
    except (ValueError, msgspec.DecodeError):
        return None
    return claims if len(parts) == 3 and all(parts) and "alg" in head else None


def _account(claims):
    own = claims.get("kubernetes.io") or {}
    if own:
        return own["namespace"], own["serviceaccount"]["name"]
    parts = claims.get("sub", "").split(":")
    return parts[2:4] if len(parts) == 4 else ("", "")


class Passworded(_Method):
    def login(self, rest, body, namespace, peer):
        user = self.roles.get(rest)
        if user is None or user.get("password") != body.get("password"):
            return failed(400, "invalid username or password")
        return self.granted(user, namespace, {"username": rest})


class Certified(_Method):
    """By the common name of what the connection showed."""

    def login(self, rest, body, namespace, peer):
        if not peer:
            return failed(400, "client certificate must be supplied")
        shown = {value for part in peer["subject"] for field, value in part if field == "commonName"}
        for name, role in self.roles.items():
            if body.get("name", name) == name and set(role.get("allowed_common_names", shown)) & shown:
                return self.granted(role, namespace, {"cert_name": name})
        return failed(400, "invalid certificate or no client certificate supplied")


METHODS = {
    "approle": AppRole,
    "cert": Certified,
    "jwt": Tokened,
    "kubernetes": Tokened,
    "ldap": Passworded,
    "userpass": Passworded,
}
