"""Runs that name no account share one, which is made once, with its rights before it."""

import asyncio

from tests.terraform.works import HOME, story

from plumbline.base.json import decode
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger
from plumbline.terraform.identity import Identities, Reach

ACCOUNTS = GroupVersionResource("", "v1", "serviceaccounts")
BINDINGS = GroupVersionResource("rbac.authorization.k8s.io", "v1", "rolebindings")


@story
async def test_two_runs_that_begin_at_once_make_one_account(works):
    powers = Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None)
    gate = Gate(powers, Live(works.journal), works.world.clock)
    reach = Reach("https://127.0.0.1:6443", b"")
    both = [Identities(works.client, gate, works.world.clock, reach) for _ in range(2)]
    await asyncio.gather(*(each.settle(HOME, "tf-runner") for each in both))
    account = decode(await works.client.get(Target(ACCOUNTS, HOME, "tf-runner")))
    binding = decode(await works.client.get(Target(BINDINGS, HOME, "plumbline-tf-runner")))
    assert int(binding["metadata"]["resourceVersion"]) < int(account["metadata"]["resourceVersion"])
