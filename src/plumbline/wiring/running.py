"""`plumb runner`: one run of Terraform in a pod of its own, with everything that it needs and no controller."""

import asyncio
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.environment import environment
from plumbline.base.ids import Ids
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import Tree
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.journal import sqlite
from plumbline.journal.journal import Journal
from plumbline.kinds.flux.common import Artifact
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Connection, Target
from plumbline.ownership.ledger import Ledger
from plumbline.terraform.guarding import guards_in
from plumbline.terraform.runs.carrying import Workshop
from plumbline.terraform.runs.manifests import SECRETS
from plumbline.terraform.runs.runner import Bench, OwnAccount, performed
from plumbline.terraform.sources.downloads import Downloads
from plumbline.terraform.state import Locks
from plumbline.terraform.state.writing import Writer
from plumbline.terraform.tool import Toolroom
from plumbline.terraform.tool.room import Terms
from plumbline.terraform.work import Argument, Workplace

_MANDATE: Final = MandateSpec(mode="Enforce")
_SPARE_S: Final = 5.0
"""Of the grace, to write the report in."""
IDENTITIES: Final = (Path("/var/run/secrets/eks.amazonaws.com"), Path("/var/run/secrets/azure"), Path("/var/run/secrets/pods.eks.amazonaws.com"))  # fmt: skip
"""Where clouds put what shows who a pod is."""
PASSED_ON: Final = frozenset({
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_DEFAULT_REGION", "AWS_REGION",
    "AWS_ROLE_ARN", "AWS_STS_REGIONAL_ENDPOINTS", "AWS_WEB_IDENTITY_TOKEN_FILE", "AZURE_AUTHORITY_HOST",
    "AZURE_CLIENT_ID", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_TENANT_ID", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY",
})  # fmt: skip
"""What a cluster puts into the environment of pods about who they are, and how they get out."""


class Wanted(NamedTuple):
    namespace: str
    order: str
    kubeconfig: Path | None
    folder: Path
    grace_s: float = 30.0


async def ran(wanted: Wanted, say: Callable[[str], None]) -> None:
    """Returns once there is a report. SIGTERM and SIGINT end the tool in good order, and there is one all the same."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for asked in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(asked, stopping.set)
    clock, ids = SystemClock(), Ids()
    connection = Connection.load(wanted.kubeconfig)
    async with (
        Client.connect(connection, clock=clock, ids=ids) as client,
        sqlite.in_memory(clock=clock, ids=ids) as journal,
    ):
        downloads = Downloads(wanted.folder / "downloads", clock)

        async def fetch(artifact: Artifact) -> Tree:
            return await downloads.tree(artifact)

        bench = Bench(
            client=client,
            clock=clock,
            shop=_shop(wanted, client, clock, connection, journal),
            fetch=fetch,
            name=ids.uid(),
            say=say,
            guards=guards_in,
        )
        await performed(Target(SECRETS, wanted.namespace, wanted.order), bench, stopping)


def _shop(wanted: Wanted, client: Client, clock: Clock, connection: Connection, journal: Journal) -> Workshop:
    gate = Gate(Powers(lambda: _MANDATE, Ledger(), lambda: None), Live(journal), clock)
    own = connection.user.token_file
    readable = (*(each for each in IDENTITIES if each.is_dir()), *((own.parent,) if own is not None else ()))
    terms = Terms(grace_s=max(wanted.grace_s - _SPARE_S, 1.0), readable=readable)
    return Workshop(
        room=Toolroom(wanted.folder / "terraform", parallel=1, terms=terms, clock=clock),
        client=client,
        locks=Locks(client, Writer(gate, client), clock, host=socket.gethostname()),
        identities=OwnAccount(connection),
        equip=identified,
    )


def identified(workplace: Workplace) -> Workplace:
    """With what the cluster has told this pod about itself, where the object does not say otherwise."""
    said = {each.name for each in workplace.environment}
    found = environment()
    more = tuple(Argument(name, Plaintext(found[name])) for name in sorted(PASSED_ON - said) if name in found)
    return msgspec.structs.replace(workplace, environment=(*workplace.environment, *more))
