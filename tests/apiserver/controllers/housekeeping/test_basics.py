"""What every namespace has, is put back when it is taken away or changed."""

from tests.apiserver.controllers.housekeeping.house import AUTHORITY, CM, NAMESPACE, house, virtually

from plumbline.apiserver.plane import Plane
from plumbline.base.ids import Ids
from plumbline.base.virtualtime import LoopClock
from plumbline.kube.names import GroupKind

ACCOUNT = GroupKind("", "ServiceAccount")
ROOT = "kube-root-ca.crt"


@virtually
async def test_every_namespace_gets_an_account_and_the_certificate():
    async with house() as there:
        await there.make({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
        await there.rest()
        for name in ("default", "kube-system", "kube-public", "kube-node-lease", "team"):
            assert there.find("default", name, ACCOUNT), name
            assert there.get(ROOT, name)["data"] == {"ca.crt": AUTHORITY}


@virtually
async def test_the_account_is_put_back_with_another_uid():
    async with house() as there:
        before = there.get("default", "default", ACCOUNT)
        await there.cluster.delete(before)
        await there.rest()
        assert there.get("default", "default", ACCOUNT)["metadata"]["uid"] != before["metadata"]["uid"]


@virtually
async def test_the_certificate_is_put_back_and_put_right():
    async with house() as there:
        await there.cluster.delete(there.get(ROOT))
        await there.rest()
        there.get(ROOT)
        await there.cluster.edit(there.get(ROOT), lambda live: {**live, "data": {"ca.crt": "forged", "more": "x"}})
        await there.rest()
        assert there.get(ROOT)["data"] == {"ca.crt": AUTHORITY}


@virtually
async def test_other_accounts_and_config_maps_are_nobodys_business():
    async with house() as there:
        await there.config("mine")
        await there.cluster.delete(there.get("mine"))
        await there.rest()
        assert there.find("mine") is None


@virtually
async def test_a_plane_without_a_certificate_hands_out_none():
    async with house(lambda: Plane(LoopClock(), Ids(7))) as there:
        assert there.find(ROOT, kind=CM) is None
        assert there.find("default", "default", ACCOUNT)


@virtually
async def test_a_namespace_that_goes_gets_nothing():
    async with house() as there:
        team = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
        await there.cluster.delete(await there.make(team))
        await there.rest(for_s=5)
        assert there.find("team", "", NAMESPACE) is None
        assert there.find("default", "team", ACCOUNT) is None
