"""A Secret that is to hold the token of a service account gets it, keeps it, and goes with the account."""

import base64

from cryptography.hazmat.primitives.asymmetric import ec
from tests.apiserver.controllers.housekeeping.house import AUTHORITY, SECRET, house, virtually

from plumbline.apiserver.authentication.keys import CompactToken, SigningKey
from plumbline.apiserver.plane import Plane
from plumbline.base.ids import Ids
from plumbline.base.json import decode
from plumbline.base.virtualtime import LoopClock
from plumbline.kube.names import GroupKind

ACCOUNT = GroupKind("", "ServiceAccount")
KEY = SigningKey(ec.generate_private_key(ec.SECP256R1()))
NAME = "kubernetes.io/service-account.name"
UID = "kubernetes.io/service-account.uid"


def keyed():
    return Plane(LoopClock(), Ids(7), authority_pem=AUTHORITY, key=KEY)


def token_secret(name="tok", account="robot", **more):
    metadata = {"name": name, "namespace": "default", "annotations": {NAME: account}}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/service-account-token",
        "metadata": metadata,
        **more,
    }


async def robot(there, **more):
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot", "namespace": "default"}}
    return await there.make(account | more)


def content(secret):
    return {key: base64.b64decode(value).decode() for key, value in secret["data"].items()}


def found(there, name="tok"):
    return there.get(name, kind=SECRET)


async def edited(there, change, name="tok"):
    await there.cluster.edit(found(there, name), change)
    await there.rest()
    return found(there, name)


@virtually
async def test_it_is_filled_and_says_whose_token_it_holds():
    async with house(keyed) as there:
        account = await robot(there)
        await there.make(token_secret())
        await there.rest()
        secret = found(there)
        uid = account["metadata"]["uid"]
        assert secret["metadata"]["annotations"] == {NAME: "robot", UID: uid}
        held = content(secret)
        token = held.pop("token")
        assert held == {"ca.crt": AUTHORITY, "namespace": "default"}
        assert decode(CompactToken.parse(token).payload) == {
            "iss": "kubernetes/serviceaccount",
            "kubernetes.io/serviceaccount/namespace": "default",
            "kubernetes.io/serviceaccount/secret.name": "tok",
            "kubernetes.io/serviceaccount/service-account.name": "robot",
            "kubernetes.io/serviceaccount/service-account.uid": uid,
            "sub": "system:serviceaccount:default:robot",
        }
        managers = {each["manager"] for each in secret["metadata"]["managedFields"]}
        assert "kube-controller-manager" in managers


@virtually
async def test_what_is_taken_out_is_put_back_and_what_is_beside_it_stays():
    async with house(keyed) as there:
        await robot(there)
        await there.make(token_secret(data={"mine": "bWluZQ=="}))
        await there.rest()
        before = content(found(there))
        left = await edited(there, lambda live: {**live, "data": {"mine": live["data"]["mine"], "ca.crt": "Zm9yZ2Vk"}})
        after = content(left)
        assert (after["mine"], after["ca.crt"], after["namespace"]) == ("mine", AUTHORITY, "default")
        assert after["token"] != before["token"], "signed anew"
        assert after["token"].rpartition(".")[0] == before["token"].rpartition(".")[0]


@virtually
async def test_a_token_of_somebody_elses_making_is_left_alone():
    async with house(keyed) as there:
        await robot(there)
        await there.make(token_secret(data={"token": "b3RoZXI="}))
        await there.rest()
        assert content(found(there))["token"] == "other"


@virtually
async def test_nothing_is_written_where_nothing_is_missing():
    async with house(keyed) as there:
        account = await robot(there)
        await there.make(token_secret())
        await there.rest()
        before = found(there)
        await there.cluster.edit(account, lambda live: {**live, "automountServiceAccountToken": False})
        await there.rest(for_s=120)
        assert found(there) == before


@virtually
async def test_a_secret_without_its_account_goes():
    async with house(keyed) as there:
        await there.make(token_secret(account="nobody"))
        await there.rest()
        assert there.find("tok", kind=SECRET) is None


@virtually
async def test_all_of_them_go_with_their_account_and_others_stay():
    async with house(keyed) as there:
        account = await robot(there)
        for name in ("a", "b"):
            await there.make(token_secret(name))
        await there.make(token_secret("other", "default"))
        await there.make({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "plain", "namespace": "default"}})
        await there.rest()
        await there.cluster.delete(account)
        await there.rest()
        left = {each["metadata"]["name"] for each in there.cluster.objects(SECRET, "default")}
        assert left == {"other", "plain"}


@virtually
async def test_a_secret_of_another_account_under_the_same_name_goes():
    async with house(keyed) as there:
        await robot(there)
        strange = token_secret()
        strange["metadata"]["annotations"][UID] = "00000000-0000-4000-8000-000000000000"
        await there.make(strange)
        await there.rest()
        assert there.find("tok", kind=SECRET) is None


@virtually
async def test_a_secret_that_is_handed_to_another_account_goes():
    async with house(keyed) as there:
        await robot(there)
        await there.make(token_secret())
        await there.rest()
        named = {NAME: "default"}
        await there.cluster.edit(
            found(there),
            lambda live: {
                **live,
                "metadata": {**live["metadata"], "annotations": {**live["metadata"]["annotations"], **named}},
            },
        )
        await there.rest()
        assert there.find("tok", kind=SECRET) is None


@virtually
async def test_a_frozen_secret_stays_empty():
    async with house(keyed) as there:
        await robot(there)
        await there.make(token_secret(immutable=True))
        await there.rest(for_s=120)
        assert "data" not in found(there)


@virtually
async def test_an_account_that_lists_a_secret_forgets_it_with_the_secret():
    async with house(keyed) as there:
        await robot(there, secrets=[{"name": "tok"}, {"name": "pulling"}])
        await there.make(token_secret())
        await there.rest()
        await there.cluster.delete(found(there))
        await there.rest()
        assert there.get("robot", kind=ACCOUNT)["secrets"] == [{"name": "pulling"}]


@virtually
async def test_what_was_written_while_nobody_looked_is_filled_at_the_next_start():
    async with house(lambda: Plane(LoopClock(), Ids(7))) as there:
        await robot(there)
        await there.make(token_secret())
        await there.rest()
        assert "data" not in found(there), "without a key there is nothing to sign with"
        kept = there.plane
    stored = [entry for collection in kept.store.collections for entry in kept.store.shelf(collection).entries()]
    later = Plane(LoopClock(), Ids(8), authority_pem=AUTHORITY, key=KEY)
    later.store.load(stored)
    async with house(lambda: later) as there:
        assert content(found(there)).keys() == {"ca.crt", "namespace", "token"}
