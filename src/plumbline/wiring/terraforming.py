"""Terraform objects and the repositories that they come from, on one gate."""

import asyncio
import socket
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.tasks import task_group
from plumbline.gate.gate import Gate
from plumbline.gate.hands import Hands
from plumbline.gate.records import GatedRecords
from plumbline.gate.webhooks import Reached
from plumbline.kernel.collections import Collections
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kube.client import Client
from plumbline.source.git import GitSources
from plumbline.terraform import inputs
from plumbline.terraform.checks import Wire
from plumbline.terraform.foundation import digest_key
from plumbline.terraform.identity import Identities, Reach
from plumbline.terraform.runs.carrying import KUBECONFIG, Workshop
from plumbline.terraform.runs.jobs import JobRuns
from plumbline.terraform.runs.jobs import Parts as JobParts
from plumbline.terraform.runs.local import LocalRuns
from plumbline.terraform.sources.accounts import Accounts
from plumbline.terraform.sources.artifacts import Artifacts
from plumbline.terraform.sources.downloads import Downloads
from plumbline.terraform.sources.room import GitRepositories
from plumbline.terraform.sources.room import Parts as SourceParts
from plumbline.terraform.state import Copies, Locks
from plumbline.terraform.state.writing import Writer
from plumbline.terraform.terraform import ACTOR, Parts, Terraforms
from plumbline.terraform.tool import Toolroom

_CLUSTER: Final = "in-cluster"
_PARALLEL: Final = 3
_SHARE: Final = 2
"""Of one namespace: there is always room for another one."""


class Site(NamedTuple):
    """What Terraform objects are looked after with."""

    client: Client
    world: World
    gate: Gate
    data: Path
    namespace: str
    commits: GitSources
    accounts: Accounts
    artifacts: Artifacts
    reach: Reach
    runner_image: str = ""
    """Runs are Jobs with this image; they are beside the controller where there is none."""
    reached: Reached | None = None
    """How the API server gets to where approvals are checked."""


class Terraforming:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._collections = Collections(site.client, site.world.metrics)
        self.repositories = GitRepositories(
            SourceParts(
                client=site.client,
                world=site.world,
                records=self._records("source-controller"),
                commits=site.commits,
                accounts=site.accounts,
                artifacts=site.artifacts,
                downloads=Downloads(site.data / "downloads", site.world.clock),
            )
        )

    async def run(self) -> None:
        site = self._site
        client, clock = site.client, site.world.clock
        locks = Locks(client, Writer(site.gate, client), clock, host=socket.gethostname())
        tools = Toolroom(site.data / "terraform", parallel=_PARALLEL, share=_SHARE, clock=clock)
        await tools.tidy()
        identities = Identities(client, site.gate, site.reach)
        copies = await asyncio.to_thread(Copies.at, site.data / "state-copies", site.data / "state-copies.key", clock)
        terms = inputs.Terms(
            key=await digest_key(client, site.namespace), reach=inputs.Reach(config_path=f"~/{KUBECONFIG}")
        )
        room = Terraforms(
            Parts(
                client=client,
                world=site.world,
                gate=site.gate,
                records=self._records,
                collections=self._collections,
                repositories=self.repositories,
                runs=self._runs(locks, tools, identities),
                locks=locks,
                copies=copies,
                terms=terms,
                namespace=site.namespace,
                wire=Wire(),
                reached=site.reached,
            )
        )
        async with task_group() as group:
            group.create_task(self._collections.run())
            group.create_task(room.run())

    def _runs(self, locks: Locks, tools: Toolroom, identities: Identities) -> LocalRuns | JobRuns:
        site = self._site
        if not site.runner_image:
            return LocalRuns(Workshop(tools, site.client, locks, identities))
        return JobRuns(
            JobParts(
                client=site.client,
                hands=Hands(site.gate, site.client, ACTOR, "published"),
                collections=self._collections,
                clock=site.world.clock,
                accounts=identities,
                image=site.runner_image,
            )
        )

    def _records(self, component: str) -> Records:
        site = self._site
        return GatedRecords(site.gate, site.client, site.world.clock, component, cluster=_CLUSTER)
