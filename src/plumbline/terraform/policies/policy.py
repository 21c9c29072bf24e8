"""Several policies about one object, as one: the strictest word of each holds."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple

from plumbline.base.errors import Forbidden
from plumbline.kinds.terraform import Approvers, Auto, TerraformPolicySpec


class Policy(NamedTuple):
    approvals: int = 1
    approvers: tuple[Approvers, ...] = ()
    """Whoever approves is named by each of them."""
    auto: tuple[Auto, ...] = ()
    """A loss passes unasked where all of them let it; where there is none, nothing does."""
    corrects_drift: bool = True
    providers: tuple[tuple[str, ...], ...] = ()
    external_data: bool = True
    provisioners: bool = True

    def passes(self, danger: str, type_: str) -> bool:
        """Whether *danger* to a resource of *type_* needs nobody's word."""
        return bool(self.auto) and all(_lets(auto, danger, type_) for auto in self.auto)

    def permits(self, provider: str) -> bool:
        """Whether the provider at *provider*, as host/namespace/type, may run."""
        return all(any(fnmatchcase(provider, pattern) for pattern in each) for each in self.providers)

    def may_approve(self, user: str, groups: Iterable[str]) -> bool:
        """Whether their word counts. Of whom nobody knows who they are, it does where nobody is named."""
        groups = frozenset(groups)
        return all(user and (user in each.users or groups.intersection(each.groups)) for each in self.approvers)

    def check_programs(self, *, external_data: bool, provisioners: bool) -> None:
        """Refuse a module that would run programs of its own where that is not wanted."""
        if external_data and not self.external_data:
            raise Forbidden(
                "The module may not run programs through the external data source", why="a TerraformPolicy denies it"
            )
        if provisioners and not self.provisioners:
            raise Forbidden("The module may not run programs through provisioners", why="a TerraformPolicy denies it")


def combined(specs: Iterable[TerraformPolicySpec]) -> Policy:
    specs = tuple(specs)
    return Policy(
        approvals=max((spec.approvals for spec in specs), default=1),
        approvers=tuple(spec.approvers for spec in specs if spec.approvers != Approvers()),
        auto=tuple(spec.auto for spec in specs),
        corrects_drift=all(spec.drift == "Correct" for spec in specs),
        providers=tuple(spec.providers for spec in specs if spec.providers),
        external_data=all(spec.external_data == "Allow" for spec in specs),
        provisioners=all(spec.provisioners == "Allow" for spec in specs),
    )


def concerns(spec: TerraformPolicySpec, name: str) -> bool:
    return not spec.names or any(fnmatchcase(name, pattern) for pattern in spec.names)


def _lets(auto: Auto, danger: str, type_: str) -> bool:
    typed = not auto.types or any(fnmatchcase(type_, pattern) for pattern in auto.types)
    return danger in auto.allow and typed
