"""The one file that knows every room; it builds `plumb up` and `plumb run`."""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from plumbline.apiserver.hosting import hosted
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids


class Up(NamedTuple):
    """What `plumb up` was asked for."""

    data: Path
    api_port: int
    durable: bool = False


class Started(NamedTuple):
    url: str
    kubeconfig: Path


async def up(wanted: Up, ready: Callable[[Started], None]) -> None:
    """Everything in this process, until somebody asks it to end."""
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()
    for asked in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(asked, ending.set)
    async with hosted(wanted.data, wanted.api_port, SystemClock(), Ids(), durable=wanted.durable) as plane:
        ready(Started(plane.url, plane.kubeconfig))
        await ending.wait()
