"""How often repositories are asked whether they moved. Settings may change it while everything runs."""

from plumbline.base.ids import Ids


class Rhythm:
    def __init__(self, poll_s: float, jitter_s: float) -> None:
        self.poll_s = poll_s
        self.jitter_s = jitter_s
        """Added to each wait: something between nothing and this, so that not all are asked at once."""

    def wait_s(self, ids: Ids) -> float:
        """Until a repository that has just answered is asked again."""
        return self.poll_s + ids.between(0.0, self.jitter_s)
