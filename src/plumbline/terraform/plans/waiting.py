"""Which dangers wait for a person where a plan is applied by itself."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

import msgspec

from plumbline.terraform.plans.values import Consent, Danger


class AutoPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What may be done without being asked for. Where nothing is said, nothing that is a danger."""

    allow: frozenset[Consent] = frozenset()
    types: tuple[str, ...] = ()
    """Patterns of resource types that it is about; empty for all."""

    def lets(self, danger: Danger) -> bool:
        """A danger to the plan as a whole has no type, so that only a policy about all types lets it pass."""
        typed = not self.types or any(fnmatchcase(danger.type, pattern) for pattern in self.types)
        return typed and danger.consent in self.allow


def waits(dangers: Iterable[Danger], policy: AutoPolicy) -> tuple[Danger, ...]:
    """Those that the policy does not let pass, in their order."""
    return tuple(danger for danger in dangers if not policy.lets(danger))
