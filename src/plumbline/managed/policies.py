"""What a managed resource lets happen to what it stands for. Pure."""

from collections.abc import Iterable
from typing import Final, NamedTuple

OBSERVE: Final = "Observe"
CREATE: Final = "Create"
UPDATE: Final = "Update"
DELETE: Final = "Delete"
LATE: Final = "LateInitialize"
ALL: Final = "*"
ACTIONS: Final = (OBSERVE, CREATE, UPDATE, DELETE, LATE, ALL)

SUPPORTED: Final = frozenset(
    frozenset(each)
    for each in (
        (ALL,),
        (OBSERVE, CREATE, UPDATE, LATE, DELETE),
        (OBSERVE,),
        (),
        (OBSERVE, CREATE, UPDATE, DELETE),
        (OBSERVE, CREATE, UPDATE, LATE),
        (OBSERVE, CREATE, UPDATE),
        (OBSERVE, CREATE, DELETE, LATE),
        (OBSERVE, CREATE, LATE),
        (OBSERVE, CREATE, DELETE),
        (OBSERVE, CREATE),
        (OBSERVE, DELETE),
        (OBSERVE, UPDATE),
        (OBSERVE, LATE),
        (OBSERVE, UPDATE, LATE),
    )
)
"""Every set that upstream accepts; the empty one is a pause."""

_DEFAULT: Final = frozenset({ALL})


class Policies(NamedTuple):
    actions: frozenset[str]
    orphans: bool = False
    """`deletionPolicy: Orphan`, which only the cluster-scoped lineage has."""
    legacy: bool = True

    @property
    def paused(self) -> bool:
        return not self.actions

    @property
    def creates(self) -> bool:
        return self._has(CREATE)

    @property
    def updates(self) -> bool:
        return self._has(UPDATE)

    @property
    def late_initialises(self) -> bool:
        return self._has(LATE)

    @property
    def deletes(self) -> bool:
        """Whichever of the two policies is not at its default decides; where both are not, the actions do."""
        if not self.legacy or not self.orphans:
            return self._has(DELETE)
        return self.actions != _DEFAULT and DELETE in self.actions

    @property
    def writes(self) -> bool:
        return bool(self.actions & {ALL, CREATE, UPDATE, DELETE})

    @property
    def refusal(self) -> str:
        """Why they cannot be used, as upstream says it; empty where they can."""
        if self.actions in SUPPORTED:
            return ""
        said = " ".join(sorted(self.actions, key=_place))
        return f"`spec.managementPolicies` is set to a value([{said}]) which is not supported. Check docs for supported policies"

    def _has(self, action: str) -> bool:
        return bool(self.actions & {action, ALL})


def policies(actions: Iterable[str], deletion_policy: str, *, namespaced: bool) -> Policies:
    return Policies(frozenset(actions), orphans=deletion_policy == "Orphan", legacy=not namespaced)


def _place(action: str) -> tuple[int, str]:
    return (ACTIONS.index(action) if action in ACTIONS else len(ACTIONS)), action
