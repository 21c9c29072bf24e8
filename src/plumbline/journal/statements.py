"""The SQL that both stores speak, and transactions as values that either of them can run.

Parameters are `:named`, as SQLite takes them. Every text column compares by bytes. Each store has its own tables' DDL.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar

from plumbline.journal.chain import Row

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Read(NamedTuple):
    sql: str
    values: Mapping[str, Any] = {}
    locks: bool = False
    """Hold the rows until the transaction ends, so that nobody else reads them in order to write."""


class Write(NamedTuple):
    """One statement, once for each of *rows*."""

    sql: str
    rows: Sequence[Mapping[str, Any]]


Rows: TypeAlias = list[tuple[Any, ...]]
Steps: TypeAlias = Generator[Read | Write, Rows, T]
"""A transaction without its database: it yields statements and is sent their rows. Both stores run the same ones, and a
test can stop one between any two statements."""


class Work(Protocol[T_co]):
    """One transaction. `steps` is asked for again where nobody knows whether the first attempt was committed."""

    def steps(self) -> Generator[Read | Write, Rows, T_co]: ...

    def committed(self) -> None: ...


class Store(Protocol):
    async def transact(self, work: Work[T]) -> T:
        """Run all of it or nothing, alone among writers, and return when it is safe on disk."""

    async def select(self, read: Read) -> Rows: ...


def driven(steps: Steps[T], execute: Callable[[Read | Write], Rows]) -> T:
    """Run *steps* on a database that answers at once."""
    try:
        statement = next(steps)
        while True:
            statement = steps.send(execute(statement))
    except StopIteration as end:
        outcome: T = end.value
        return outcome


COLUMNS: Final = ", ".join(Row._fields)

CHAIN: Final = "SELECT version, origin, seq, ms, digest, anchor_seq, anchor_digest FROM journal_chain"
ADVANCE: Final = "UPDATE journal_chain SET seq = :seq, ms = :ms, digest = :digest"
ANCHOR: Final = "UPDATE journal_chain SET anchor_seq = :seq, anchor_digest = :digest"

INSERT: Final = f"INSERT INTO journal_entries ({COLUMNS}) VALUES ({', '.join(f':{name}' for name in Row._fields)})"  # noqa: S608 - names are ours
DIGEST: Final = "SELECT digest FROM journal_entries WHERE seq = :seq"
BODY: Final = "SELECT body FROM journal_entries WHERE seq = :seq"
AFTER: Final = f"SELECT {COLUMNS} FROM journal_entries WHERE seq > :seq ORDER BY seq LIMIT :limit"  # noqa: S608 - same
UP_TO: Final = f"SELECT {COLUMNS} FROM journal_entries WHERE seq <= :seq ORDER BY seq LIMIT :limit"  # noqa: S608 - same
LINES_AFTER: Final = "SELECT seq, body FROM journal_entries WHERE seq > :seq ORDER BY seq LIMIT :limit"
NEWEST_OF: Final = "SELECT body FROM journal_entries WHERE kind = :kind ORDER BY seq DESC LIMIT 1"
LAST_BEFORE: Final = "SELECT seq FROM journal_entries WHERE ms < :ms ORDER BY ms DESC, seq DESC LIMIT 1"
DROP: Final = """DELETE FROM journal_entries WHERE seq <= :seq
    AND seq NOT IN (SELECT seq FROM journal_unsettled WHERE seq <= :seq)"""

OPEN_INTENT: Final = "INSERT INTO journal_unsettled (seq, id) VALUES (:seq, :id)"
SETTLE: Final = "DELETE FROM journal_unsettled WHERE seq = :seq AND id = :id"
UNSETTLED: Final = """SELECT body FROM journal_entries WHERE seq IN
    (SELECT seq FROM journal_unsettled WHERE seq > :seq ORDER BY seq LIMIT :limit) ORDER BY seq"""
ISLANDS: Final = """SELECT u.seq, u.id, e.digest FROM journal_unsettled u JOIN journal_entries e ON e.seq = u.seq
    WHERE u.seq <= :seq ORDER BY u.seq LIMIT :limit"""
