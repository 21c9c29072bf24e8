"""The cloud as a process: `python -m tests.providers.azure.vendor --port 0` prints its port and serves until it is ended."""

import argparse
import asyncio
import sys

from tests.providers.gcp.vendor.serving import served

from .cloud import Cloud


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--takes", type=float, default=1.0, help="seconds that an operation takes")
    parser.add_argument("--closed", action="store_true", help="refuse requests without a token")
    said = parser.parse_args()
    async with served(Cloud(takes_s=said.takes, open_to_all=not said.closed), said.port) as address:
        sys.stdout.write(f"{address.rpartition(':')[2]}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
