"""An order lies in the namespace of its object, where the module's own code can write: what it says then is not believed."""

from base64 import b64encode

import pytest
from tests.terraform.runs.yard import story, terraform
from tests.terraform.works import FIRST, HOME

from plumbline.base.json import decode, encode
from plumbline.kube.client import Target
from plumbline.terraform.runs.manifests import SECRETS, content_of
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
