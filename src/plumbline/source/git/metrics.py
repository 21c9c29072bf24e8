"""What is counted about repositories, under the names that upstream's dashboards ask for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from prometheus_client import CollectorRegistry

from plumbline.base.clock import Clock
from plumbline.base.errors import Forbidden, NotFound, PlumblineError, ServerFault, Unauthenticated, Unreachable
from plumbline.source.counting import Failures, Questions

_LIST: Final = "ls-remote"
_FETCH: Final = "fetch"
_AT_THE_DOOR: Final = (Forbidden, NotFound, ServerFault, Unauthenticated, Unreachable)
"""Whoever meets these has not been told the refs: upstream asks for those by themselves, and that is what fails there."""
_ALL: Final = ""
"""One exchange is for all revisions."""


class GitMetrics:
    def __init__(self, registry: CollectorRegistry, clock: Clock) -> None:
        self._clock = clock
        self._questions = Questions("git", "Exchanges with Git servers", registry)
        self._not_fetched = Failures("argocd_git_fetch_fail", "Exchanges that failed at what was fetched", registry)
        self._not_listed = Failures("argocd_git_lsremote_fail", "Exchanges that came to no list of refs", registry)

    def now_s(self) -> float:
        return self._clock.monotonic()

    def exchanged(self, repo: str, began_s: float, *, moved: bool) -> None:
        """One exchange. Where refs had not moved nothing was fetched, and the listing was all of it."""
        self._questions.asked(repo, _FETCH if moved else _LIST, self.now_s() - began_s)

    def failed(self, repo: str, began_s: float, error: PlumblineError) -> None:
        listing = isinstance(error, _AT_THE_DOOR)
        self._questions.asked(repo, _LIST if listing else _FETCH, self.now_s() - began_s)
        (self._not_listed if listing else self._not_fetched).failed(repo, _ALL)

    @contextmanager
    def fetching(self, repo: str, sha: str) -> Iterator[None]:
        """Around the fetch of one commit."""
        began_s = self.now_s()
        try:
            yield
        except PlumblineError:
            self._not_fetched.failed(repo, sha)
            raise
        finally:
            self._questions.asked(repo, _FETCH, self.now_s() - began_s)

    def forget(self, repo: str) -> None:
        self._questions.forget(repo, (_LIST, _FETCH))
        self._not_fetched.forget(repo)
        self._not_listed.forget(repo)
