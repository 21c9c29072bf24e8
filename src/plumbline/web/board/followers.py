"""Those who are told of every change: where one of them fails, the others hear of it all the same."""

from collections.abc import Callable, Iterable
from typing import Final, TypeVarTuple

from plumbline.base.log import logger

Ts = TypeVarTuple("Ts")

_log: Final = logger("web.board")


def tell(followers: Iterable[Callable[[*Ts], None]], *news: *Ts) -> None:
    for follower in tuple(followers):
        try:
            follower(*news)
        except Exception:  # noqa: BLE001 - objects come from anybody: what one of them does to a reader ends no other
            _log.exception("news lost")
