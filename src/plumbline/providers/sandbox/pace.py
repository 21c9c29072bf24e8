"""The sandbox's own time, which may run faster than ours."""

from plumbline.base.clock import Clock


class Pace:
    def __init__(self, clock: Clock, factor: float = 1.0) -> None:
        self._clock = clock
        self._factor = factor
        self._origin_s = clock.monotonic()
        self._passed_s = 0.0

    def now_s(self) -> float:
        """Seconds that only grow, from zero on."""
        return self._passed_s + (self._clock.monotonic() - self._origin_s) * self._factor

    def set_factor(self, factor: float) -> None:
        """From now on; what has passed has passed."""
        self._passed_s = self.now_s()
        self._origin_s = self._clock.monotonic()
        self._factor = factor

    async def sleep(self, delay_s: float) -> None:
        await self._clock.sleep(delay_s / self._factor)
