"""A plane in this process asks over TLS, as every API server does."""

import asyncio

import pytest
from tests.composition.faults.stage import founded

from plumbline.apiserver.plane import Plane
from plumbline.base.clock import SystemClock
from plumbline.base.errors import Transient
from plumbline.base.ids import Ids
from plumbline.composition.usages import QUESTION, Reached, Usages
from plumbline.journal import sqlite
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kube.client import Client
from plumbline.web.admission import Admission, AdmissionPort, AdmissionSettings

from .stage import MAPS, USAGES, Stage, a_map, config_map, parts, usage


@pytest.fixture
def stored():
    return founded()


async def test_a_deletion_is_refused_by_whoever_has_the_certificate_and_passes_afterwards(stored):
    clock, ids = SystemClock(), Ids()
    plane = Plane(clock, ids, authority_pem="the authority", stored=stored)
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        client = Client(plane.transport(), clock=clock, ids=ids)
        given = parts(client, World(clock, ids, Metrics()), journal)
        usages = Usages(given)
        async with AdmissionPort(
            AdmissionSettings(), Admission({QUESTION.path: usages.validate}), clock
        ).running() as port:
            usages.reached = Reached(port.url, port.authority_pem)
            tasks = [asyncio.create_task(given.collections.run()), asyncio.create_task(usages.run())]
            stage = Stage(plane, client, usages, None, journal)
            await stage.create(MAPS, config_map("used"))
            await stage.create(USAGES, usage(of=a_map("used"), reason="the till"))
            await stage.ready(USAGES, "keeps")
            with pytest.raises(Transient, match="the till"):
                await stage.delete(MAPS, "used")
            await stage.delete(USAGES, "keeps")
            await stage.gone(USAGES, "keeps")
            await stage.delete(MAPS, "used")
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
