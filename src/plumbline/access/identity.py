"""Who somebody is: a name, groups, and what else an authenticator knows. What they may do is decided elsewhere."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

MASTERS: Final = "system:masters"
"""The group that no rule binds: its members may do everything."""
NODES: Final = "system:nodes"
AUTHENTICATED: Final = "system:authenticated"
UNAUTHENTICATED: Final = "system:unauthenticated"
ANONYMOUS_NAME: Final = "system:anonymous"
NODE_PREFIX: Final = "system:node:"
SERVICE_ACCOUNT_PREFIX: Final = "system:serviceaccount:"
SERVICE_ACCOUNTS: Final = "system:serviceaccounts"

CREDENTIAL_ID: Final = "authentication.kubernetes.io/credential-id"
POD_NAME: Final = "authentication.kubernetes.io/pod-name"
POD_UID: Final = "authentication.kubernetes.io/pod-uid"
NODE_NAME: Final = "authentication.kubernetes.io/node-name"
NODE_UID: Final = "authentication.kubernetes.io/node-uid"


_label: Final = re.compile("[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?").fullmatch
# Labels of a subdomain have no limit of their own; the whole has.
_subdomain: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*").fullmatch
_SUBDOMAIN_BYTES: Final = 253


@dataclass(frozen=True, slots=True)
class Identity:
    """`extra` is for authorizers and audit that ask for more than names; it does not take part in hashes."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @property
    def master(self) -> bool:
        return MASTERS in self.groups


ANONYMOUS: Final = Identity(ANONYMOUS_NAME, groups=(UNAUTHENTICATED,))


class AccountName(NamedTuple):
    """Which ServiceAccount an identity is."""

    namespace: str
    name: str


def authenticated(identity: Identity) -> Identity:
    """*identity* in the group of all who are known, unless it says itself that it is not."""
    if identity.name == ANONYMOUS_NAME or AUTHENTICATED in identity.groups or UNAUTHENTICATED in identity.groups:
        return identity
    return replace(identity, groups=(*identity.groups, AUTHENTICATED))


def service_account_name(namespace: str, name: str) -> str:
    return f"{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}"


def service_account_groups(namespace: str) -> tuple[str, ...]:
    return SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}"


def service_account_of(name: str) -> AccountName | None:
    """The ServiceAccount that *name* stands for, where it is well-formed."""
    if not name.startswith(SERVICE_ACCOUNT_PREFIX):
        return None
    parts = name.removeprefix(SERVICE_ACCOUNT_PREFIX).split(":")
    if len(parts) != len(AccountName._fields) or not _label(parts[0]) or not _well_formed(parts[1]):
        return None
    return AccountName(*parts)


def node_of(name: str) -> str | None:
    """The Node that *name* stands for, where it is well-formed."""
    if not name.startswith(NODE_PREFIX):
        return None
    node = name.removeprefix(NODE_PREFIX)
    return node if _well_formed(node) else None


def _well_formed(text: str) -> bool:
    return len(text) <= _SUBDOMAIN_BYTES and _subdomain(text) is not None
