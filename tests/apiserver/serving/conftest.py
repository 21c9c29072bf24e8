"""Servers that the tests of one module share: starting one costs more than most tests."""

import asyncio
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from tests.apiserver.serving.served import served

from plumbline.apiserver.authentication.pki import open_pki
from plumbline.base.clock import SystemClock
from plumbline.kube.names import GroupKind

CM = GroupKind("", "ConfigMap")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("serving")


@pytest.fixture(scope="session")
def pki(folder):
    """Keys are costly to make: one set does for all."""
    return open_pki(folder / "pki", SystemClock())


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def _plain():
    async with _running(served()) as there:
        yield there


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def _secure(pki, folder):
    async with _running(served(pki, folder)) as there:
        yield there


@pytest_asyncio.fixture(loop_scope="module")
async def plain(_plain):
    """Without TLS, where everybody is an administrator."""
    yield _plain
    await _clean(_plain)


@pytest_asyncio.fixture(loop_scope="module")
async def secure(_secure):
    yield _secure
    await _clean(_secure)


async def _clean(there):
    """As if nobody had been there."""
    while there.talks:
        there.talks.pop().vanish()
    for obj in there.plane.cluster.objects(CM, "default"):
        await there.plane.cluster.delete(obj)
    await there.until(lambda: not there.connections)


@asynccontextmanager
async def _running(serving):
    """In a task of its own: a fixture is begun in one and ended in another."""
    ready, over = asyncio.get_running_loop().create_future(), asyncio.Event()

    async def run():
        async with serving as there:
            ready.set_result(there)
            await over.wait()

    task = asyncio.create_task(run())
    try:
        yield await ready
    finally:
        over.set()
        await task
