"""Who may read a mirror: those whose own credentials have opened the repository that it follows.

A mirror is shared by all projects that name its repository. Without this, naming a private repository would be enough to
read what somebody else's credentials have fetched.
"""

from typing import Final

from plumbline.base.errors import PlumblineError
from plumbline.source.repository import Repository

_MOST: Final = 64


class Standing:
    """Compared by value: changed credentials are others', and have to be shown first."""

    def __init__(self) -> None:
        self._proven: list[Repository] = []
        self._refused: list[tuple[Repository, PlumblineError, float]] = []

    @property
    def empty(self) -> bool:
        return not self._proven

    def proven(self, repository: Repository) -> bool:
        return any(each is repository or each == repository for each in self._proven)

    def refusal(self, repository: Repository, now_s: float) -> PlumblineError | None:
        """Why these credentials were turned down lately, if they were."""
        self._refused = [each for each in self._refused if each[2] > now_s]
        return next((error for refused, error, _ in self._refused if refused == repository), None)

    def accept(self, repository: Repository) -> None:
        self._refused = [each for each in self._refused if each[0] != repository]
        self._proven = [*(each for each in self._proven if each != repository), repository][-_MOST:]

    def refuse(self, repository: Repository, error: PlumblineError, until_s: float) -> None:
        self._refused = [*self._refused, (repository, error, until_s)][-_MOST:]
