"""Runs that name no account share one, which is made once, with its rights before it."""

import asyncio
from datetime import UTC, datetime, timedelta

from tests.terraform.works import HOME, story

from plumbline.base.json import decode, encode
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
    both = [Identities(works.client, gate, reach) for _ in range(2)]
    await asyncio.gather(*(each.settle(HOME, "tf-runner") for each in both))
    account = decode(await works.client.get(Target(ACCOUNTS, HOME, "tf-runner")))
    binding = decode(await works.client.get(Target(BINDINGS, HOME, "plumbline-tf-runner")))
    assert int(binding["metadata"]["resourceVersion"]) < int(account["metadata"]["resourceVersion"])


class Cluster:
    """Gives tokens of the account as it is now."""

    def __init__(self):
        self.uid, self.lives_s = "first", []

    async def create(self, target, body):
        assert target.subresource == "token"
        life_s = decode(body)["spec"]["expirationSeconds"]
        self.lives_s.append(life_s)
        ends_at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=life_s)
        return encode({"status": {"token": f"token of {self.uid}", "expirationTimestamp": ends_at.isoformat()}})


def user(config):
    return decode(config.reveal())["users"][0]["user"]["token"]


async def test_a_token_lasts_longer_than_the_run_that_has_it():
    cluster = Cluster()
    identities = Identities(cluster, None, Reach("https://here", b""))
    for deadline_s in (3600.0, 86_400.0):
        await identities.kubeconfig(HOME, "tf-runner", deadline_s)
        assert cluster.lives_s[-1] >= deadline_s + 600


async def test_a_token_is_of_the_account_as_it_is_now():
    cluster = Cluster()
    identities = Identities(cluster, None, Reach("https://here", b""))
    assert user(await identities.kubeconfig(HOME, "tf-runner", 60.0)) == "token of first"
    cluster.uid = "second"
    assert user(await identities.kubeconfig(HOME, "tf-runner", 60.0)) == "token of second"
