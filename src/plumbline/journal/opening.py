"""The journal that an address names, whichever store it is in. Only that store's library is loaded."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from plumbline.base.clock import Clock
from plumbline.base.ids import Ids
from plumbline.base.plaintext import Plaintext
from plumbline.journal.journal import StoredJournal


def opened(
    address: Path | Plaintext, *, clock: Clock, ids: Ids, writer: str
) -> AbstractAsyncContextManager[StoredJournal]:
    """A path is a SQLite file. Anything else is PostgreSQL's to read, and as it may hold a password, a Plaintext."""
    if isinstance(address, Path):
        from plumbline.journal import sqlite  # noqa: PLC0415 - one of the two

        return sqlite.opened(address, clock=clock, ids=ids, writer=writer)
    from plumbline.journal import postgres  # noqa: PLC0415 - same

    return postgres.opened(address, clock=clock, ids=ids, writer=writer)
