"""What every part of the kernel is given: time, chance and somewhere to count."""

from typing import NamedTuple

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.ids import Ids
from plumbline.kernel.metrics import Metrics


class World(NamedTuple):
    clock: Clock
    ids: Ids
    metrics: Metrics


def real_world() -> World:
    return World(SystemClock(), Ids(), Metrics())
