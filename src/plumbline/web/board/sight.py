"""Which applications somebody may see: decided once for each of them under one policy, and remembered."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from plumbline.access.policy.requests import application_name
from plumbline.web.board.rows import Row

_MOST_PEOPLE: Final = 64
_MOST_NAMES: Final = 200_000

Who: TypeAlias = tuple[str, tuple[str, ...], str]
"""Name, groups and issuer: two who share them may do the same."""
May: TypeAlias = Callable[[str], bool]
"""Whether somebody may get the application that a policy calls so."""


class Sight:
    """*policy* gives the one that counts now; another value than before forgets everything.

    Rows of namespaces in which this installation has no applications are seen by nobody; *looked_at* says so.
    """

    def __init__(self, namespace: str, policy: Callable[[], object], looked_at: Callable[[str], bool]) -> None:
        self._namespace = namespace
        self._policy = policy
        self.looked_at = looked_at
        self._decided_by: object = None
        self._people: OrderedDict[Who, dict[str, bool]] = OrderedDict()

    def named(self, project: str, namespace: str, name: str) -> str:
        """What a policy calls an application."""
        return application_name(project, namespace, name, self._namespace)

    def visible(self, rows: Iterable[Row], who: Who, may: May) -> Iterable[Row]:
        """Those of *rows* that *who* may see."""
        decided = self._of(who)
        home = self._namespace
        looked_at: dict[str, bool] = {home: True}
        for row in rows:
            if row.namespace not in looked_at:
                looked_at[row.namespace] = self.looked_at(row.namespace)
            if not looked_at[row.namespace]:
                continue
            called = application_name(row.project, row.namespace, row.name, home)
            seen = decided.get(called)
            if seen is None:
                seen = decided[called] = may(called)
            if seen:
                yield row

    def sees(self, row: Row, who: Who, may: May) -> bool:
        return any(True for _ in self.visible((row,), who, may))

    def _of(self, who: Who) -> dict[str, bool]:
        policy = self._policy()
        if policy is not self._decided_by:
            self._decided_by = policy
            self._people.clear()
        decided = self._people.setdefault(who, {})
        self._people.move_to_end(who)
        if len(self._people) > _MOST_PEOPLE:
            self._people.popitem(last=False)
        if len(decided) > _MOST_NAMES:
            decided.clear()
        return decided
