"""What the tests of the journal speak with: drafts with something in every field, and a journal opened time and again."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

from plumbline.base.clock import VirtualClock
from plumbline.base.ids import Ids
from plumbline.journal import Actor, Commit, Draft, LiveObject, change_of, sqlite

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
COMMIT = Commit(repo="https://git.example.com/shop/platform.git", sha="c0ffee" + "0" * 34)
CHANGE = change_of(COMMIT, Ids(0))
DELIVERY = Actor("controller", "delivery")
ALICE = Actor("person", "alice@example.com")


def web(name="web", namespace="shop", cluster="prod", kind="Deployment", group="apps"):
    return LiveObject(cluster=cluster, group=group, kind=kind, namespace=namespace, name=name)


def draft(kind="decided", **fields):
    given = {
        "actor": DELIVERY,
        "verb": "apply",
        "subject": web(),
        "cause": COMMIT,
        "change": CHANGE,
        "summary": "Applied Deployment web at revision c0ffee0",
    }
    return Draft(kind=kind, **given | fields)


class Journals:
    """One journal that is opened again and again, by several writers if need be. The clock is theirs together."""

    def __init__(self):
        self.clock = VirtualClock(START)
        self.ids = Ids(7)


class SqliteJournals(Journals):
    empty = "X'7b7d'"
    """`{}` as the database writes bytes."""

    def __init__(self, path):
        super().__init__()
        self.path = self.address = path

    def open(self, writer="one"):
        return sqlite.opened(self.path, clock=self.clock, ids=self.ids, writer=writer, durability="process")

    def tamper(self, *statements):
        """Change what only somebody with the database's own tools can change; triggers do not stop them."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                connection.execute(statement)

    def sql(self, statement):
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            return connection.execute(statement).fetchall()


def at_another_time(id_):
    """The same place in the same journal, but not the entry that is there."""
    return id_[:9] + ("0" if id_[9] != "0" else "1") + id_[10:]


async def everything(journal):
    """All entries that are kept, oldest first."""
    entries, cursor = [], ""
    while True:
        page = await journal.page(cursor=cursor, limit=500)
        entries += page.entries
        cursor = page.cursor
        if not cursor:
            return entries[::-1]
