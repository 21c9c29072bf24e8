"""The process of a sandbox: stdin is the socket that it listens on, its argument says what is asked of it.

It is started by `running.sandbox`, with the first request, and ended by its keeper when whoever started it ends.
"""

import gc
import socket
import sys
from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path

import msgspec

from plumbline.base.clock import SystemClock
from plumbline.base.http.server import Server
from plumbline.base.ids import Ids
from plumbline.base.log import configure, logger
from plumbline.base.thrift import thrifty
from plumbline.providers.sandbox.cloud import Cloud
from plumbline.providers.sandbox.journal import Journal
from plumbline.providers.sandbox.options import Options
from plumbline.providers.sandbox.serving import BreakingProtocol, Service
from plumbline.providers.sandbox.sparing import spare, without_clients


class Order(msgspec.Struct, frozen=True):
    options: Options
    journal: str
    """Where it is kept; empty: nowhere."""


def main(arguments: Sequence[str] | None = None) -> None:
    import uvloop  # noqa: PLC0415 - only needed here

    order = msgspec.json.decode((arguments or sys.argv[1:])[0], type=Order)
    configure(level="warning", form="json")
    thrifty()
    spare()
    without_clients()
    # moto's models and botocore's descriptions live as long as this process: looking through them again and again frees nothing.
    gc.set_threshold(50_000, 20, 100)
    listener = socket.socket(fileno=0)
    uvloop.run(serve(order, listener))


async def serve(order: Order, listener: socket.socket) -> None:
    """Until it is ended. What was journalled is there before the first request is answered."""
    journal = Journal(Path(order.journal), order.options.journal_bytes) if order.journal else None
    with closing(journal) if journal is not None else nullcontext():
        cloud = Cloud(SystemClock(), Ids(), order.options, journal)
        restored = cloud.restore()
        logger(__name__).info("sandbox ready", restored=restored)
        await Server(Service(cloud), listener, protocol=BreakingProtocol).run()


if __name__ == "__main__":
    main()
