"""A kind whose objects the server cannot give, such as one whose conversion webhook is down, is the matter of those who deliver it."""

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import ServerFault
from plumbline.base.ids import Ids
from plumbline.base.virtualtime import LoopClock, run_virtually

from .founding import founded
from .town import config_map, on_plane

WORKERS = 4
ACCOUNT = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\n"
FILES = {"web/a.yaml": config_map("a"), "robots/a.yaml": ACCOUNT}


class Unconverted:
    """A control plane that does not give away ServiceAccounts for as long as it is broken."""

    def __init__(self, plane):
        self.broken = True
        self._plane = plane

    def __getattr__(self, name):
        return getattr(self._plane, name)

    def transport(self):
        return _Failing(self, self._plane.transport())


class _Failing:
    def __init__(self, town, inner):
        self._town, self._inner = town, inner

    async def send(self, request):
        if self._town.broken and request.path == "/api/v1/serviceaccounts":
            raise ServerFault("GET serviceaccounts failed", why="conversion webhook failed: connection refused")
        return await self._inner.send(request)

    async def close(self):
        await self._inner.close()


def test_its_applications_say_why_and_all_others_go_on():
    async def main():
        clock, ids = LoopClock(), Ids(7)
        plane = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
        broken = Unconverted(plane)
        async with plane.running(), on_plane(broken, clock, ids, files=FILES, workers=WORKERS) as town:
            robots = [f"robots{number}" for number in range(2 * WORKERS)]
            await town.deploy(robots[0], path="robots")
            for name in robots[1:]:
                await town.deploy(name, path="robots", automated=False)
            await town.deploy("web")
            await town.synced("web", within_s=5)

            async def told():
                found = [(await town.app(name)).get("status", {}).get("conditions", []) for name in robots]
                return all("conversion webhook failed" in each[0]["message"] for each in found if each) and all(found)

            await town.until(told, within_s=5)
            broken.broken = False
            await town.synced(robots[0], within_s=90)

    run_virtually(main)
