"""Whether the cluster that the kubeconfig names answers, and whether its clock and ours agree."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import BadKubeconfig, PlumblineError
from plumbline.base.json import decode
from plumbline.cli.checks.findings import Finding, failed, ok, warning
from plumbline.kube.client import Client, Connection, Request, Response

DEADLINE_S: Final = 3.0
_TOLERATED: Final = timedelta(seconds=30)


async def cluster(clock: Clock, connection: Connection | BadKubeconfig | None) -> list[Finding]:
    """Findings about *connection*, about why it cannot be used, or that there is none."""
    if connection is None:
        says = "there is no kubeconfig, so verbs that ask a cluster cannot"
        return [warning("cluster", says, "Name one with --kubeconfig or KUBECONFIG.")]
    if isinstance(connection, BadKubeconfig):
        return [failed("cluster", str(connection), connection.hint)]
    try:
        async with Client.connect(connection, clock=clock) as client:
            reply = await client.send(Request("GET", "/version", deadline_s=DEADLINE_S))
    except PlumblineError as error:
        return [failed("cluster", f"{connection.server} does not answer: {error}", error.hint)]
    return [ok("cluster", f"Kubernetes {_version(reply)} at {connection.server}"), *_drift(reply, clock.now())]


def _version(reply: Response) -> str:
    answer = decode(reply.body)
    return str(answer.get("gitVersion")) if isinstance(answer, dict) else "of an unknown version"


def _drift(reply: Response, now: datetime) -> Iterator[Finding]:
    try:
        theirs = parsedate_to_datetime(reply.headers.get("date", ""))
    except ValueError:
        return
    drift = abs(now - theirs)
    if drift > _TOLERATED:
        says = f"{round(drift.total_seconds())} s away from the cluster's"
        yield warning(
            "clock drift", says, "Set this machine's clock or the cluster's: tokens and certificates need it."
        )
