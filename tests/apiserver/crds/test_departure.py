import asyncio

import pytest

from plumbline.apiserver.plane import Plane
from plumbline.base.errors import NotFound, PlumblineError
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kernel.installing import CRDS, installed
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kube.client import Client, Target

PROJECTS = APP_PROJECT.resource


def project(name, *finalizers):
    metadata = {"name": name, "finalizers": list(finalizers)}
    return encode({"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": metadata, "spec": {}})


def test_objects_of_a_kind_that_goes_can_let_go_and_no_new_ones_come():
    async def main():
        clock, ids = LoopClock(), Ids(2)
        plane = Plane(clock, ids, authority_pem="the authority")
        async with plane.running():
            client = Client(plane.transport(), clock=clock, ids=ids)
            await installed(client, (APP_PROJECT,), clock)
            await client.create(Target(PROJECTS, "default"), project("held", "example.org/hold"))
            await client.delete(Target(CRDS, name=APP_PROJECT.crd_name))
            await asyncio.sleep(5)
            with pytest.raises(PlumblineError):
                await client.create(Target(PROJECTS, "default"), project("late"))
            change = encode({"metadata": {"finalizers": []}})
            await client.patch(Target(PROJECTS, "default", "held"), change, "merge")
            await asyncio.sleep(30)
            with pytest.raises(NotFound):
                await client.get(Target(CRDS, name=APP_PROJECT.crd_name))

    run_virtually(main)
