"""Our composition alone, as a program: `python ours.py KUBECONFIG`. It says `ready` when it looks after the cluster."""

import asyncio
import signal
import sys
from contextlib import suppress
from pathlib import Path

from plumbline.base.errors import NotFound
from plumbline.composition.composition import Composition, Parts
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.collections import Collections
from plumbline.kernel.installing import installed
from plumbline.kernel.world import real_world
from plumbline.kinds.crossplane import CROSSPLANE_KINDS
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Connection
from plumbline.ownership.ledger import Ledger


def no_function(name):
    raise NotFound(f"no function {name}")


async def main(kubeconfig):
    world = real_world()
    ledger, allowed = Ledger(), MandateSpec(mode="Enforce")
    async with (
        Client.connect(Connection.load(Path(kubeconfig)), clock=world.clock, ids=world.ids) as client,
        sqlite.in_memory(clock=world.clock, ids=world.ids) as journal,
    ):
        await installed(client, CROSSPLANE_KINDS, world.clock)
        gate = Gate(Powers(lambda: allowed, ledger, lambda: None), Live(journal), world.clock)
        collections = Collections(client, world.metrics)
        room = Composition(
            Parts(
                client=client,
                world=world,
                gate=gate,
                ledger=ledger,
                records=lambda component: GatedRecords(gate, client, world.clock, component, cluster="in-cluster"),
                function=no_function,
                collections=collections,
            )
        )
        work = asyncio.gather(collections.run(), room.run())
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, work.cancel)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        with suppress(asyncio.CancelledError):
            await work


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
