"""How a reconcile ends: done, waiting for something, or stuck until somebody changes something."""

from typing import TypeAlias

import msgspec


class Done(msgspec.Struct, frozen=True):
    """Everything is as it should be. *after_s* asks for another look, for what no event announces."""

    after_s: float | None = None


class Wait(msgspec.Struct, frozen=True):
    """Something has to happen first; the message says what. Looked at again after *after_s*, or when it changes."""

    reason: str
    message: str
    after_s: float = 10.0


class Stuck(msgspec.Struct, frozen=True):
    """Only a person can help. No timer: it is looked at again when something changes."""

    reason: str
    message: str


Stop: TypeAlias = Done | Wait | Stuck
