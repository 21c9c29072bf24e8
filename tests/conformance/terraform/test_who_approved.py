"""The real API server asks us over TLS before it takes a PlanApproval."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from tests.terraform.works import APPROVALS, POLICIES

from plumbline.base.clock import SystemClock
from plumbline.base.errors import Forbidden, PlumblineError
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.hands import Hands
from plumbline.gate.webhooks import Reached
from plumbline.journal import sqlite
from plumbline.journal.parties import Actor
from plumbline.kernel.installing import installed
from plumbline.kinds.mandate import MandateSpec
from plumbline.kinds.terraform import TERRAFORM_KINDS
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger
from plumbline.terraform.approvals.checks import QUESTION, Checks
from plumbline.terraform.approvals.validating import Approvals
from plumbline.web.admission import Admission, AdmissionPort, AdmissionSettings

pytestmark = pytest.mark.conformance
HOME = "infra"
NAMESPACES = GroupVersionResource("", "v1", "namespaces")


@asynccontextmanager
async def checked(cluster):
    """A client of *cluster*, and whether approvals on it are checked."""
    clock, ids = SystemClock(), Ids()
    async with (
        Client.connect(Connection.load(cluster.kubeconfig), clock=clock, ids=ids) as client,
        sqlite.in_memory(clock=clock, ids=ids) as journal,
    ):
        await installed(client, TERRAFORM_KINDS, clock)
        for name in (HOME, "argocd"):
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            await client.create(Target(NAMESPACES), encode(body))
        gate = Gate(Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None), Live(journal), clock)
        part = Admission({QUESTION.path: Approvals(client, "argocd").validate})
        async with AdmissionPort(AdmissionSettings(), part, clock).running() as port:
            hands = Hands(gate, client, Actor("controller", "terraform"))
            checks = Checks(client, hands, clock, Reached(port.url, port.authority_pem))
            await checks.look()
            await asyncio.sleep(4)  # the API server follows configurations, and says nowhere how far it is
            yield client, checks
        with pytest.raises(PlumblineError, match=QUESTION.hook):
            await approve(client, "ann")


async def approve(client, user, member=(), **spec):
    body = {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "PlanApproval",
        "metadata": {"generateName": "approval-", "namespace": HOME},
        "spec": {"terraform": "network", "plan": "0" * 64, "by": user, **spec},
    }
    person = client.impersonating(user, groups=("system:masters", *member))
    return decode(await person.create(Target(APPROVALS, HOME), encode(body)))


async def test_liars_are_refused_and_what_is_true_is_known_to_be(own_cluster):
    async with checked(own_cluster) as (client, checks):
        for lie in ({"by": "ben"}, {"by": ""}, {"groups": ["leads"]}):
            with pytest.raises(Forbidden, match=QUESTION.hook):
                await approve(client, "ann", **lie)
        made = await approve(client, "ann", ("leads",), groups=["leads"])
        assert checks.doubt(made) == ""
        await checks.look()
        assert checks.doubt(made) == "", "the configuration was left as it is"
        assert checks.doubt({"metadata": {"creationTimestamp": "2026-01-01T00:00:00Z"}})
        policy = {
            "apiVersion": "plumbline.dev/v1alpha1",
            "kind": "TerraformPolicy",
            "metadata": {"name": "named", "namespace": "argocd"},
            "spec": {"approvers": {"groups": ["leads"]}},
        }
        await client.create(Target(POLICIES, "argocd"), encode(policy))
        with pytest.raises(Forbidden, match="members of leads"):
            await approve(client, "ben")
        await client.delete(Target(APPROVALS, HOME, made["metadata"]["name"]))
