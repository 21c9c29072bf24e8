"""Tokens of Vault, their leases, and what they may do. Part of `vaults`."""

import itertools
from dataclasses import dataclass, field
from datetime import timedelta

from tests.secrets.vault_engines import failed

LEASE_S = 2764800
DEFAULT_POLICY = {
    "auth/token/lookup-self": {"capabilities": ["read"]},
    "auth/token/renew-self": {"capabilities": ["update"]},
    "auth/token/revoke-self": {"capabilities": ["update"]},
    "sys/internal/ui/mounts/*": {"capabilities": ["read"]},
}


@dataclass
class Entry:
    policies: list
    made_s: float
    ttl_s: float = 0
    max_s: float = 0
    uses: int = 0
    kind: str = "service"
    renewable: bool = True
    namespace: str = ""
    end_s: float = 0
    display_name: str = "token"
    auth: dict = field(default_factory=dict)
    """What its login was answered."""


class TokenStore:
    def __init__(self, clock, root):
        self._clock = clock
        self._entries = {root: Entry(["root"], clock.monotonic(), display_name="root", renewable=False)}
        self._numbers = itertools.count(1)

    def made(self, policies, *, ttl=0, max_ttl=0, num_uses=0, kind="service", renewable=True, namespace=""):
        """The token, and what a login answers."""
        ttl_s = ttl or LEASE_S
        ttl_s = min(ttl_s, max_ttl) if max_ttl else ttl_s
        now_s = self._clock.monotonic()
        batch = kind == "batch"
        value = f"{'hvb' if batch else 'hvs'}.{next(self._numbers):08}canary"
        names = sorted({"default", *policies})
        entry = Entry(names, now_s, ttl_s, max_ttl, num_uses, kind, renewable and not batch, namespace, now_s + ttl_s)
        self._entries[value] = entry
        auth = {
            "client_token": value,
            "accessor": "" if batch else f"accessor-{value[4:12]}",
            "policies": names,
            "token_policies": names,
            "metadata": None,
            "lease_duration": ttl_s,
            "renewable": entry.renewable,
            "entity_id": "",
            "token_type": kind,
            "orphan": True,
            "mfa_requirement": None,
            "num_uses": num_uses,
        }
        entry.auth = auth
        return 200, {"auth": auth}

    def living(self):
        now_s = self._clock.monotonic()
        self._entries = {value: each for value, each in self._entries.items() if not each.end_s or now_s < each.end_s}
        return self._entries

    def used(self, value, *, count=True):
        """What it stands for, if it lives; a token with few uses has one less then."""
        entry = self.living().get(value)
        if entry is not None and entry.uses and count:
            entry.uses -= 1
            if not entry.uses:
                del self._entries[value]
        return entry

    def revoke_all(self):
        self._entries = {value: each for value, each in self._entries.items() if "root" in each.policies}

    def answer(self, path, body, token):
        if path == "create":
            uses = body.get("num_uses", 0)
            return self.made(body.get("policies", []), ttl=seconds(body.get("ttl", 0)), num_uses=uses)
        if path == "lookup-self":
            return 200, {"data": self._looked_up(token), "mount_type": "token"}
        if path == "renew-self":
            return self._renewed(token)
        if path == "revoke-self":
            if self._entries[token].kind == "batch":
                return failed(400, "batch tokens cannot be revoked")
            del self._entries[token]
            return 204, None
        return failed(404, f'no handler for route "auth/token/{path}". route entry not found.')

    def _looked_up(self, token):
        entry = self._entries.get(token)
        if entry is None:
            return {}
        now_s = self._clock.monotonic()
        end = self._clock.now() + timedelta(seconds=entry.end_s - now_s)
        return {
            "accessor": "",
            "creation_ttl": entry.ttl_s,
            "display_name": entry.display_name,
            "expire_time": end.isoformat().replace("+00:00", "Z") if entry.end_s else None,
            "explicit_max_ttl": 0,
            "id": token,
            "num_uses": entry.uses,
            "orphan": True,
            "policies": entry.policies,
            "renewable": entry.renewable,
            "ttl": int(entry.end_s - now_s) if entry.end_s else 0,
            "type": entry.kind,
        }

    def _renewed(self, token):
        entry = self._entries.get(token)
        if entry is None or not entry.renewable:
            return failed(400, "lease is not renewable")
        now_s = self._clock.monotonic()
        end_s = now_s + entry.ttl_s
        entry.end_s = min(end_s, entry.made_s + entry.max_s) if entry.max_s else end_s
        return 200, {"auth": {**entry.auth, "lease_duration": int(entry.end_s - now_s)}, "mount_type": "token"}


def allowed(policies, path, wanted):
    """Whether the rule that fits best, over all policies, has one of what is wanted."""
    if any("root" in policy for policy in policies):
        return True
    fitting = [
        (name, rule["capabilities"])
        for policy in policies
        for name, rule in policy.items()
        if _fits(name, path.rstrip("/"))
    ]
    if not fitting:
        return False
    best = max((not name.endswith("*"), len(name)) for name, _ in fitting)
    rights = {each for name, granted in fitting if (not name.endswith("*"), len(name)) == best for each in granted}
    return "deny" not in rights and bool(rights & {*wanted, "root"})


def _fits(name, path):
    if name.endswith("*"):
        return path.startswith(name[:-1]) or f"{path}/" == name[:-1]
    return name.rstrip("/") == path


def seconds(text):
    """Numbers, or as Go writes durations in one unit."""
    units = {"s": 1, "m": 60, "h": 3600}
    return int(text[:-1]) * units[text[-1]] if isinstance(text, str) and text[-1:] in units else int(text or 0)
