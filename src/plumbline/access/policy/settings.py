"""What argocd-cm says about permissions."""

from collections.abc import Mapping
from typing import Final, NamedTuple

ANONYMOUS: Final = "users.anonymous.enabled"
NOT_INHERITED: Final = "server.rbac.disableApplicationFineGrainedRBACInheritance"
ROLLBACK: Final = "server.rbac.rollback.enforce.enable"
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})


class AccessSettings(NamedTuple):
    anonymous: bool = False
    """Whether those who are not logged in have the default role."""
    inherited: bool = False
    """Whether `update` and `delete` of an application include those of its objects."""
    rollback_enforced: bool = False
    """Whether rolling back needs `rollback`, and not `sync`."""
    unreadable: tuple[str, ...] = ()
    """Keys that are neither true nor false. They count as what permits less."""


def access_settings(entries: Mapping[str, str]) -> AccessSettings:
    """The settings in the data of argocd-cm."""
    booleans = (NOT_INHERITED, ROLLBACK)
    return AccessSettings(
        anonymous=entries.get(ANONYMOUS) == "true",
        inherited=entries.get(NOT_INHERITED) in _FALSE,
        rollback_enforced=entries.get(ROLLBACK, "") not in _FALSE | {""},
        unreadable=tuple(key for key in booleans if entries.get(key, "") not in _TRUE | _FALSE | {""}),
    )
