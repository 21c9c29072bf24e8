"""One real PostgreSQL for all tests here, started as `plumb up` starts it."""

import tempfile
from pathlib import Path

import pytest
import pytest_asyncio

from plumbline.base.errors import ToolMissing
from plumbline.providers.sql import Servers, local_postgres
from plumbline.providers.sql.programs import found_programs

from .desk import Desk, dismissed

HASTY = {"fsync": "off", "full_page_writes": "off"}
"""Nobody pulls the plug here."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def postgres():
    with tempfile.TemporaryDirectory(prefix="pl-") as folder:
        async with local_postgres(Path(folder), settings=HASTY) as server:
            yield server
            dismissed(server)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def older_postgres():
    """The oldest that is installed."""
    for major in (15, 16, 17):
        try:
            programs = await found_programs(major)
        except ToolMissing:
            continue
        with tempfile.TemporaryDirectory(prefix="pl-") as folder:
            async with local_postgres(Path(folder), programs=programs, settings=HASTY) as server:
                yield server
                dismissed(server)
            return
    pytest.skip("there is only one PostgreSQL here")


@pytest.fixture
async def servers():
    made = Servers()
    yield made
    await made.close()


@pytest.fixture
async def desk(postgres, servers, request):
    """A place to work from. What a test makes is dropped after it."""
    made = Desk(postgres, servers)
    yield made
    await made.clear()
