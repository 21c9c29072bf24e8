"""Who waits for what is rendered, and how long it took to get a place: plain numbers, for whoever asks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

BUCKETS: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 20.0, 60.0, 120.0)
_REPOSITORIES: Final = 256


class Waiting:
    def __init__(self) -> None:
        self.pending: dict[str, int] = {}
        """Renders that have begun or wait for a place, by the address of their source."""
        self.waits = [0.0] * (len(BUCKETS) + 2)
        """How many waited so long, by bucket and for longer than all of them; then the sum."""

    @contextmanager
    def render(self, repo_url: str) -> Iterator[None]:
        """Around one, from when it is wanted until it is there."""
        self.pending[repo_url] = self.pending.get(repo_url, 0) + 1
        try:
            yield
        finally:
            left = self.pending[repo_url] - 1
            # A graph wants to see the zero; of more addresses than these nobody looks at each.
            if left or len(self.pending) <= _REPOSITORIES:
                self.pending[repo_url] = left
            else:
                del self.pending[repo_url]

    def waited(self, took_s: float) -> None:
        """Somebody got a place, or gave up waiting for it."""
        self.waits[next((at for at, most in enumerate(BUCKETS) if took_s <= most), len(BUCKETS))] += 1
        self.waits[-1] += took_s
