"""An address names a store; PostgreSQL is an extra, and asking for it without its driver says what is missing."""

import subprocess
import sys

import pytest

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import ToolMissing
from plumbline.base.ids import Ids
from plumbline.base.plaintext import Plaintext
from plumbline.journal import postgres
from plumbline.journal.opening import opened

from .journals import draft


async def test_postgresql_without_its_driver_is_refused_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setattr(postgres, "find_spec", lambda name: None)
    with pytest.raises(ToolMissing) as caught:
        async with postgres.opened("", clock=VirtualClock(), ids=Ids(3), writer="one"):
            pass
    assert "plumbline[postgres]" in caught.value.hint


async def test_a_path_is_a_sqlite_file(tmp_path):
    ours = {"clock": VirtualClock(), "ids": Ids(3), "writer": "one"}
    async with opened(tmp_path / "journal.db", **ours) as journal:
        assert (await journal.append(draft()))[0].seq == 1


async def test_an_address_is_postgresqls(monkeypatch):
    monkeypatch.setattr(postgres, "find_spec", lambda name: None)
    with pytest.raises(ToolMissing):
        async with opened(Plaintext("postgresql://h/d"), clock=VirtualClock(), ids=Ids(3), writer="one"):
            pass


def test_no_module_of_the_journal_loads_the_driver():
    script = "import sys, plumbline.journal.opening, plumbline.journal.postgres; sys.exit('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
