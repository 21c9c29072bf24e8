"""A stage of its own for provisioning: its kinds and roles would be in the way of others."""

import asyncio
import threading
from contextlib import contextmanager

import pytest
from tests.conformance.real import RealCluster
from tests.e2e.cloud import Cloud

from plumbline.providers.sandbox import sandbox

from .stage import Stage


@contextmanager
def clouded(folder):
    """A simulated AWS that goes on whatever becomes of those who use it."""
    started, address, ending = threading.Event(), [], threading.Event()

    async def run():
        async with sandbox(folder) as running:
            address.append(running.url)
            started.set()
            await asyncio.to_thread(ending.wait)

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    started.wait()
    try:
        yield Cloud(address[0])
    finally:
        ending.set()
        thread.join()


@pytest.fixture(scope="module")
def endpoints():
    """Servers beside the simulated AWS that ProviderConfigs may name; a module that has some says so."""
    return ()


@pytest.fixture(scope="module")
def stage(tmp_path_factory, endpoints):
    """A cluster with controllers, a cloud, `plumb run`, and the platform of the examples, ready to be asked."""
    folder = tmp_path_factory.mktemp("provisioning")
    cluster = RealCluster(folder / "cluster")
    try:
        cluster.start()
        cluster.start_controllers()
        with clouded(folder / "cloud") as cloud:
            made = Stage(cluster, cloud, folder, *endpoints)
            try:
                made.start()
                made.offer()
                yield made
            finally:
                made.stop()
    finally:
        cluster.stop()
