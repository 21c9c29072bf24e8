"""The family of Terraform objects on an installation that plans and applies, in virtual time."""

from contextlib import asynccontextmanager
from types import SimpleNamespace

from tests.terraform.works import HOME, TERRAFORMS, terraform
from tests.terraform.works import story as told
from tests.web.api.ours.office import BY_HAND, TRACKED, gate_of, installed, office
from tests.web.api.yard import Yard, application

from plumbline.base.json import encode
from plumbline.delivery.settings.values import Settings
from plumbline.kernel.metrics import Metrics
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Target
from plumbline.terraform.approvals.people import introduced
from plumbline.web.api.desk import Desk
from plumbline.web.api.rights import Rights
from plumbline.web.api.terraform import TerraformApi
from plumbline.web.api.writing import Pen
from plumbline.web.board import Board, Sight

ALL = "/api/v1/terraforms"
ONE = f"{ALL}/{HOME}/network"


@asynccontextmanager
async def bureau(works):
    settings, clock, made = Settings(), works.world.clock, None

    async def asking(request):
        return await made.asker(request)

    rights = Rights(asking, lambda: made.policy)
    place = SimpleNamespace(client=works.client, desk=SimpleNamespace(clock=clock), journal=works.journal)
    gate = gate_of(place)
    await installed(place, APPLICATION)
    await introduced(works.client)
    desk = Desk(
        client=works.client,
        clock=clock,
        namespace="argocd",
        installation=SimpleNamespace(settings=settings),
        rights=rights,
        pen=Pen(gate, works.client),
        board=Board(works.client, Metrics()),
        sight=Sight("argocd", rights.policy, settings.applications_in),
    )
    board = SimpleNamespace(routes=(), run=desk.board.run)
    made = Yard(works.client, None, desk, board, works.journal)
    made.mandate = MandateSpec(mode="Enforce")
    made.terraform = TerraformApi(desk, gate, works.journal, Metrics())
    async with office(made, board, made.terraform) as open_:
        await works.client.create(Target(APPLICATION.resource, "argocd"), encode(application("web")))
        yield open_


def story(test=None, **arguments):
    """A story with a bureau beside its works."""
    if test is None:
        return lambda test: story(test, **arguments)

    async def within(works):
        async with bureau(works) as place:
            await test(works, place)

    within.__name__ = test.__name__
    return told(**arguments)(within)


async def planned(works, *, tracked=False, name="network", **spec):
    """A plan that waits; its digest."""
    obj = terraform(name, **{"approvePlan": "", **spec})
    if tracked:
        obj["metadata"]["annotations"] = {TRACKED: f"web:infra.contrib.fluxcd.io/Terraform:{HOME}/{name}"}
    await works.client.apply(Target(TERRAFORMS, HOME, name), encode(obj), BY_HAND)
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges", name)
    return (await works.pending(name)).digest
