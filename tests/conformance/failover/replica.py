"""One replica of the sample controller as a process of its own, which dies or stops at the write that it is told to.

    python replica.py KUBECONFIG NAME FAULT        FAULT: none, or kill|stop:before|after:N

Renewals of its lease are not counted: N is the number of the effect.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from plumbline.kernel.leases import LEASES, Terms
from plumbline.kernel.world import real_world
from plumbline.kube.client import Client, Connection

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.kernel.sample import run_replica

TERMS = Terms(lease_s=2.0, renew_s=1.2, retry_s=0.3)


class Faulty:
    """A transport that counts effects, and sends this process a signal at one of them."""

    def __init__(self, inner, fault):
        self._inner = inner
        self._signal, self._side, number = (*fault.split(":"), "", "0")[:3] if fault != "none" else ("", "", "0")
        self._number = int(number)
        self._effects = 0

    async def send(self, request):
        if request.method == "GET" or f"/{LEASES.resource}" in request.path:
            return await self._inner.send(request)
        self._effects += 1
        due = self._effects == self._number
        if due and self._side == "before":
            self._strike()
        response = await self._inner.send(request)
        if due and self._side == "after":
            self._strike()
        return response

    def _strike(self):
        os.kill(os.getpid(), signal.SIGKILL if self._signal == "kill" else signal.SIGSTOP)

    async def close(self):
        await self._inner.close()


async def main(kubeconfig, name, fault):
    connection = Connection.load(Path(kubeconfig))
    world = real_world()
    async with Client.connect(connection) as plain:
        transport = Faulty(plain._caller.transport, fault)
        await run_replica(Client(transport), world, name, terms=TERMS)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
