"""What functions need from outside: time and chance."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from plumbline.base.ids import Ids


class Surroundings(NamedTuple):
    now: Callable[[], datetime]
    ids: Ids
