"""What stands in for clouds: whether there is a PostgreSQL is known once it has been started."""

from contextlib import asynccontextmanager

import pytest

from plumbline.base.errors import NotFound, ToolMissing
from plumbline.base.log import recorded
from plumbline.base.plaintext import Plaintext
from plumbline.providers.sql.local import LocalServer
from plumbline.wiring import laptop as module
from plumbline.wiring.laptop import Laptop


class Nobody:
    """A cluster where nothing is there yet, and everything is made at once."""

    async def get(self, *_, **__):
        raise NotFound("nothing is there")

    async def create(self, *_): ...


@pytest.fixture
def begun(monkeypatch):
    """How often a server was started."""
    times = []

    @asynccontextmanager
    async def started(folder):
        times.append(folder)
        yield LocalServer("127.0.0.1", 5432, "postgres", Plaintext("hunter2"))

    monkeypatch.setattr(module, "local_postgres", started)
    return times


async def test_one_that_starts_is_started_once(begun, tmp_path):
    laptop = Laptop(Nobody(), tmp_path, 0)
    assert await laptop.has_postgresql()
    assert await laptop.has_postgresql()
    assert begun == [tmp_path / "postgres"]


async def test_where_it_does_not_start_there_is_none_and_why_is_told(monkeypatch, tmp_path):
    def missing(_):
        raise ToolMissing("PostgreSQL is not installed")

    monkeypatch.setattr(module, "local_postgres", missing)
    with recorded() as lines:
        assert not await Laptop(Nobody(), tmp_path, 0).has_postgresql()
    assert [each["code"] for each in lines] == ["tool-missing"]


async def test_without_a_driver_none_is_started(monkeypatch, begun, tmp_path):
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    assert not await Laptop(Nobody(), tmp_path, 0).has_postgresql()
    assert begun == []
