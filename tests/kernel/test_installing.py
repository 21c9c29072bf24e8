"""What is there already is found, and nobody needs a right to make it."""

import pytest

from plumbline.apiserver.plane import Plane
from plumbline.base.ids import Ids
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.installing import made
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

NAMESPACES = Target(GroupVersionResource("", "v1", "namespaces"))


class Heard:
    """A transport that remembers what was asked for."""

    def __init__(self, inner):
        self._inner, self.methods = inner, []

    async def send(self, request):
        self.methods.append(request.method)
        return await self._inner.send(request)

    async def close(self): ...


@pytest.mark.parametrize(("name", "asked"), [("default", ["GET"]), ("shop", ["GET", "POST"])])
def test_only_what_is_missing_is_made(name, asked):
    async def main():
        clock, ids = LoopClock(), Ids(3)
        plane = Plane(clock, ids, authority_pem="the authority")
        async with plane.running():
            heard = Heard(plane.transport())
            namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            await made(Client(heard, clock=clock, ids=ids), NAMESPACES, namespace)
            assert heard.methods == asked

    run_virtually(main)
