"""Where a line of a policy stands, for people who want to change it."""

from typing import NamedTuple


class Place(NamedTuple):
    """A line of a key of argocd-rbac-cm, a policy of a role of a project, or neither: then it is built in."""

    key: str = ""
    number: int = 0
    """Counted from one; zero for what nobody wrote down as a line, such as the groups of a role."""
    project: str = ""
    role: str = ""

    def __str__(self) -> str:
        if self.project:
            role = f"role {self.role} of project {self.project}"
            return f"policy {self.number} of {role}" if self.number else role
        if not self.number:
            return self.key or "the built-in policy"
        return f"line {self.number} of {self.key}"


BUILT_IN = Place()
