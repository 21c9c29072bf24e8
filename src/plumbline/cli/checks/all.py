"""All checks, run side by side; none of them waits long."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import plumbline
from plumbline.base.clock import Clock
from plumbline.base.environment import environment, home
from plumbline.base.errors import BadKubeconfig
from plumbline.base.process import Command, capabilities, run
from plumbline.base.tasks import task_group
from plumbline.cli.checks import machine
from plumbline.cli.checks.cluster import cluster
from plumbline.cli.checks.findings import Finding
from plumbline.cli.checks.sandbox import sandbox
from plumbline.cli.checks.sealing import sealing_keys
from plumbline.cli.checks.tools import TOOLS, either, look
from plumbline.kube.client import Connection

_TOOL_S: Final = 5.0


async def findings(
    clock: Clock, kubeconfig: Path | None = None, context: str = "", key_namespace: str = "kube-system"
) -> list[Finding]:
    """What all checks found, in the order in which people read it."""
    connection = _connection(kubeconfig, context)
    async with task_group() as tasks:
        enforced = tasks.create_task(asyncio.to_thread(capabilities))
        tools = [tasks.create_task(look(tool, _printed)) for tool in TOOLS]
        answer = tasks.create_task(cluster(clock, connection))
        keys = tasks.create_task(sealing_keys(connection, key_namespace))
    return [
        machine.python_version(),
        *either([tool.result() for tool in tools]),
        *sandbox(enforced.result()),
        *answer.result(),
        *keys.result(),
        *machine.ports(),
        machine.disk(home() / ".plumbline"),
        machine.clock(clock, Path(plumbline.__file__)),
    ]


def _connection(kubeconfig: Path | None, context: str) -> Connection | BadKubeconfig | None:
    named = kubeconfig or context or {"KUBECONFIG", "KUBERNETES_SERVICE_HOST"} & environment().keys()
    if not named and not (home() / ".kube" / "config").exists():
        return None
    try:
        return Connection.load(kubeconfig, context=context)
    except BadKubeconfig as error:
        return error


async def _printed(argv: Sequence[str]) -> str:
    command = Command(
        argv=tuple(argv),
        inherit=("PATH", "HOME"),
        # Without it terraform asks the network whether there is a newer one.
        environment={"CHECKPOINT_DISABLE": "1"},
        deadline_s=_TOOL_S,
        grace_s=0.0,
        stdout_limit_bytes=1 << 16,
        beyond="discard",
    )
    return (await run(command)).stdout.decode(errors="replace")
