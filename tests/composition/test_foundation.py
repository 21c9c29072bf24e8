import asyncio

from plumbline.apiserver.plane import Plane
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.composition.foundation import founded
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

ROLES = GroupVersionResource("rbac.authorization.k8s.io", "v1", "clusterroles")


def test_people_may_do_what_definitions_let_them():
    async def main():
        clock, ids = LoopClock(), Ids(2)
        plane = Plane(clock, ids, authority_pem="the authority")
        async with plane.running():
            client = Client(plane.transport(), clock=clock, ids=ids)
            await founded(client, clock)
            await founded(client, clock)
            rule = {"apiGroups": ["example.org"], "resources": ["databases"], "verbs": ["*"]}
            labels = {"rbac.crossplane.io/aggregate-to-edit": "true"}
            role = {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRole",
                "metadata": {"name": "crossplane:composite:databases:aggregate-to-edit", "labels": labels},
                "rules": [rule],
            }
            await client.create(Target(ROLES), encode(role))
            await asyncio.sleep(10)
            edit = decode(await client.get(Target(ROLES, name="crossplane-edit")))
            assert edit["rules"] == [rule]
            view = decode(await client.get(Target(ROLES, name="crossplane-view")))
            assert not view.get("rules")

    run_virtually(main)
