"""The two roles that are always there, and who has them."""

from typing import Final

from plumbline.access.policy.lines import Lines, read
from plumbline.access.policy.places import BUILT_IN

READONLY: Final = "role:readonly"
ADMIN: Final = "role:admin"
ADMINISTRATOR: Final = "admin"

_IN_PROJECTS: Final = frozenset({"applications", "applicationsets", "logs", "exec"})
_READS: Final = (
    "applications applicationsets certificates clusters repositories write-repositories projects accounts gpgkeys logs"
)
_CHANGES: Final = {
    "applications": "create update update/* delete delete/* sync override action/*",
    "applicationsets": "get create update delete",
    "certificates": "create update delete",
    "clusters": "create update delete",
    "repositories": "create update delete",
    "write-repositories": "create update delete",
    "projects": "create update delete",
    "accounts": "update",
    "gpgkeys": "create delete",
    "exec": "create",
}
_OURS: Final = (
    f"p, {READONLY}, infrastructure, get, *, allow",
    f"p, {READONLY}, terraform, get, *, allow",
    f"p, {READONLY}, terraform, logs, *, allow",
    f"p, {READONLY}, secrets, get, *, allow",
    # What is about no object, such as logins, has one slash in its name and is not for everybody.
    f"p, {READONLY}, changes, get, */*/*, allow",
    *(f"p, {ADMIN}, terraform, {action}, *, allow" for action in ("approve", "reject", "reconcile", "unlock")),
    f"p, {ADMIN}, secrets, create, *, allow",
    f"p, {ADMIN}, changes, get, *, allow",
)
"""About what Argo CD has no words for."""


def _rule(role: str, resource: str, action: str) -> str:
    return f"p, {role}, {resource}, {action}, {'*/*' if resource in _IN_PROJECTS else '*'}, allow"


def built_in() -> Lines:
    reads = [_rule(READONLY, resource, "get") for resource in _READS.split()]
    changes = [_rule(ADMIN, resource, action) for resource, actions in _CHANGES.items() for action in actions.split()]
    links = [f"g, {ADMIN}, {READONLY}", f"g, {ADMINISTRATOR}, {ADMIN}"]
    return read((BUILT_IN, line) for line in (*reads, *changes, *_OURS, *links))
