"""A webhook that takes half a minute for each object of one kind is the matter of those who deliver that kind."""

import asyncio

from plumbline.apiserver.plane import Plane
from plumbline.base.ids import Ids
from plumbline.base.virtualtime import LoopClock, run_virtually

from .founding import founded
from .town import config_map, on_plane

MANY = 40
SLOW_S = 27.0
ACCOUNT = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: robot{}}}\n"
FILES = {"web/a.yaml": config_map("a"), **{f"robots{n}/a.yaml": ACCOUNT.format(n) for n in range(MANY)}}


class Slow:
    """A control plane whose writes of ServiceAccounts take long."""

    def __init__(self, plane):
        self._plane = plane
        self.under_way = self.most = 0

    def __getattr__(self, name):
        return getattr(self._plane, name)

    def transport(self):
        return _Waiting(self, self._plane.transport())


class _Waiting:
    def __init__(self, slow, inner):
        self._slow, self._inner = slow, inner

    async def send(self, request):
        if request.method == "PATCH" and "/serviceaccounts/" in request.path:
            self._slow.under_way += 1
            self._slow.most = max(self._slow.most, self._slow.under_way)
            await asyncio.sleep(SLOW_S)
            self._slow.under_way -= 1
        return await self._inner.send(request)

    async def close(self):
        await self._inner.close()


def test_others_are_delivered_meanwhile():
    async def main():
        clock, ids = LoopClock(), Ids(7)
        plane = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
        slow = Slow(plane)
        async with plane.running(), on_plane(slow, clock, ids, files=FILES) as town:
            for number in range(MANY):
                await town.deploy(f"robots{number}")
            await town.settle(10)
            assert slow.under_way == slow.most > 8, "more than there are workers"
            await town.deploy("web")
            await town.synced("web", within_s=3)
            assert slow.most < 32, "not all turns are theirs"
            for number in range(MANY):
                await town.synced(f"robots{number}", within_s=90)

    run_virtually(main)
