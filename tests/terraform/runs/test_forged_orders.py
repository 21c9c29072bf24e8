"""An order lies in the namespace of its object, where the module's own code can write: what it says then is not believed."""

from base64 import b64encode
from types import SimpleNamespace

import pytest
from tests.terraform.runs.yard import story, terraform
from tests.terraform.works import FIRST, HOME

from plumbline.base.json import decode, encode
from plumbline.kube.client import Target
from plumbline.terraform.runs.jobs import JobRuns, Parts
from plumbline.terraform.runs.manifests import CONTAINER, SECRETS, content_of
from plumbline.terraform.runs.wire import read_order, written_order
from plumbline.terraform.state import Place


def forging(yard, **said):
    """Once the runner has its order, the module rewrites it."""

    async def rewritten():
        for name in await yard.left():
            target = Target(SECRETS, HOME, name)
            order = read_order(content_of(decode(await yard.client.get(target))))
            if order.operation != "apply":
                continue
            content = b64encode(written_order(order._replace(**said))).decode()
            await yard.client.patch(target, encode({"data": {"content": content}}), "merge")

    yard.node.before = rewritten


@pytest.mark.parametrize(
    "said",
    [{"place": Place("argocd", "default", "vault")}, {"key": ("argocd", "vault")}, {"id": "other"}],
    ids=["state", "object", "run"],
)
def test_a_module_cannot_have_its_state_kept_as_a_copy_of_somebody_elses(said):
    @story
    async def told(yard):
        forging(yard, **said)
        await yard.apply(terraform())
        await yard.until(lambda: _applied(yard), within_s=600)
        assert {place for place, *_ in yard.copies.kept} <= {f"{HOME}/tfstate-default-network"}

    told()


async def _applied(yard):
    found = await yard.get()
    return found.get("status", {}).get("lastAppliedRevision") == FIRST and not await yard.jobs()


class Pods:
    """One pod that has ended, in the namespace of somebody else."""

    async def list(self, target, selection):
        ended = {"name": CONTAINER, "state": {"terminated": {"reason": "Error", "exitCode": 1}}}
        found = [] if target.namespace == HOME else [encode({"status": {"containerStatuses": [ended]}})]
        return SimpleNamespace(items=found)


async def test_a_pod_of_another_namespace_proves_nobody_dead():
    runs = JobRuns(Parts(Pods(), *[None] * (len(Parts._fields) - 1)))
    assert await runs.verdict(HOME, "id") == ""
    assert await runs.verdict("argocd", "id")
