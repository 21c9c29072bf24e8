"""What happens at the edges: odd Secrets, writes that must not be lost, claims in the ledger, files that follow."""

import msgspec
import pytest

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import Conflict, Forbidden, NotFound, OwnedElsewhere, ServerFault
from plumbline.base.json import decode, encode
from plumbline.gate.gate import Performed
from plumbline.kernel.reconciler import Run
from plumbline.kinds.read import Read
from plumbline.kube.names import GroupVersionResource, Ref
from plumbline.managed.creation import FAILED, PENDING, SUCCEEDED, beginning, begun, failed, incomplete, settling
from plumbline.managed.external import SecretKey
from plumbline.managed.identity import claims
from plumbline.managed.kinds import Reference, Schema
from plumbline.managed.manifests import managed_crd
from plumbline.managed.notes import Notes
from plumbline.managed.secrets import ReadSecrets, named_secrets
from plumbline.ownership.ledger import Ledger

from .cloud import NETWORK, kinds

CONFIG = Ref("aws.upbound.io", "ProviderConfig", "", "default")


class Secrets:
    def __init__(self, **data):
        self.data = data

    async def get(self, target):
        if target.name not in self.data:
            raise NotFound("nothing there")
        return encode({"data": self.data[target.name]})


async def test_a_secret_that_cannot_be_read_says_which_and_what():
    secrets = ReadSecrets(Secrets(odd={"key": "%%%", "number": 7}), "shop")
    for name, key, said in (("odd", "key", "no value under 'key'"), ("odd", "number", "has no key 'number'"), ("none", "key", "Secret shop/none not found")):  # fmt: skip
        with pytest.raises(NotFound, match=said):
            await secrets.read(SecretKey(name, key))
    with pytest.raises(Forbidden):
        await secrets.read(SecretKey("odd", "key", "elsewhere"))


def test_secrets_are_found_wherever_a_config_names_them():
    spec = {
        "credentials": {"secretRef": {"name": "a", "namespace": "x"}},
        "chain": [{"tokenSecretRef": {"name": "b"}}],
        "other": "c",
    }
    assert list(named_secrets(spec)) == [("x", "a"), ("", "b")]
    assert list(named_secrets(spec, "shop")) == [("shop", "a"), ("shop", "b")]


def clock_at(second):
    clock = VirtualClock()
    clock.jump(second)
    return clock.now()


def test_the_record_of_a_creation_holds_against_clocks_that_jump_back():
    notes = {SUCCEEDED: "2026-01-01T01:00:00Z"}
    assert not begun(notes)
    notes[PENDING] = beginning(notes, clock_at(0))
    assert incomplete(notes)
    notes[FAILED] = settling(notes, clock_at(-3600))
    assert not incomplete(notes)
    assert failed(notes)
    assert not begun({PENDING: "yesterday"})
    assert not begun({PENDING: "2026-01-01T00:00:00"})  # of no time zone


class Gate:
    """Performs, with errors that come first."""

    def __init__(self, *errors):
        self.errors, self.acts = list(errors), []

    async def perform(self, intent, act):
        self.acts.append(decode(act.body))
        if self.errors:
            raise self.errors.pop(0)
        return Performed(encode({"metadata": {"name": "a", "uid": "u", "resourceVersion": "2"}}))


def looked():
    raw = {"apiVersion": "x/v1", "kind": "X", "metadata": {"name": "a", "uid": "u", "resourceVersion": "1"}}
    return Run(Read(Ref("x", "X", "", "a"), None, None, (), (), raw), 1, deleting=False)


async def insisted(*errors):
    clock, gate = VirtualClock(), Gate(*errors)
    sleeps = []

    async def sleep(seconds):
        sleeps.append(seconds)

    clock.sleep = sleep
    done = await Notes(gate, None, clock, "here").insist(GroupVersionResource("x", "v1", "xs"), looked(), {"a": "b"})
    return done, gate.acts, sleeps


async def test_what_must_not_be_lost_is_written_whoever_else_writes():
    done, acts, sleeps = await insisted(Conflict("newer"), ServerFault("leader changed"), ServerFault("again"))
    assert done
    assert ["resourceVersion" in each["metadata"] for each in acts] == [True, False, False, False]
    assert sleeps == [0.2, 0.4]


async def test_what_is_gone_is_not_written_to_and_nobody_insists_for_ever():
    with pytest.raises(NotFound):
        await insisted(NotFound("gone"))
    with pytest.raises(ServerFault):
        await insisted(*(ServerFault("down") for _ in range(9)))


def queue(name, region="eu-west-1", **spec):
    return {
        "apiVersion": "sqs.aws.upbound.io/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name, "annotations": {"crossplane.io/external-name": "orders"}},
        "spec": {"forProvider": {"region": region, "name": "orders"}, **spec},
    }


def test_the_ledger_knows_things_by_account_and_refuses_a_second_owner():
    ledger = Ledger()
    (one,) = claims(queue("one"), CONFIG)
    ledger.claim(one)
    (other,) = claims(queue("two"), CONFIG._replace(name="other-account"))
    ledger.claim(other)
    (second,) = claims(queue("three"), CONFIG)
    with pytest.raises(OwnedElsewhere, match="one"):
        ledger.claim(second)
    assert claims(queue("four", managementPolicies=["Observe"]), CONFIG) == ()


def test_names_that_are_unique_in_the_world_need_no_account():
    bucket = {**queue("b"), "apiVersion": "s3.aws.upbound.io/v1beta2", "kind": "Bucket"}
    (claim,) = claims(bucket, CONFIG)
    assert claim.resource.account == ""


def test_references_are_declared_where_their_fields_are():
    kind = next(each for each in kinds(None) if each.kind == "Store")
    deep = {
        "type": "object",
        "properties": {
            "place": {"type": "array", "items": {"type": "object", "properties": {"subnets": {"type": "array"}}}}
        },
    }
    references = (Reference("place.subnets", NETWORK, many=True), Reference("nowhere.id", NETWORK), Reference("x", NETWORK, ref="xName", selector="xPick"))  # fmt: skip
    made = msgspec.structs.replace(kind, schemas=lambda: Schema(deep, {"type": "object"}), references=references)
    crd = managed_crd(made)
    wanted = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["forProvider"]
    assert sorted(wanted["properties"]) == ["place", "xName", "xPick"]
    assert sorted(wanted["properties"]["place"]["items"]["properties"]) == ["subnetRefs", "subnetSelector", "subnets"]
