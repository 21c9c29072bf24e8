"""The first `plumb up`: when one can look at it, when all of the sample platform is well, and what all of it weighs."""

import argparse
import asyncio
import tempfile
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from bench.browsing import chromium, painted, seen, somebody
from bench.delivery.metering import busy_cores
from bench.installing import Installation
from bench.timing import line
from plumbline.base.json import decode
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Client, Connection, Target

_APPLICATIONS = 6
_GIVE_UP_S = 180.0
_REST_S = 5.0
_LISTED = "document.querySelector('h1')?.textContent.includes('Applications')"


def run(options=()):
    parser = argparse.ArgumentParser(prog="python -m bench sample", description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=1, help="how often, each time from nothing (1)")
    for _ in range(parser.parse_args(list(options)).times):
        asyncio.run(measured())


async def measured():
    others = busy_cores()
    line("cores that others keep busy, before", f"{others:.2f}", "" if others < 0.1 else "WARNING: repeat it")
    with tempfile.TemporaryDirectory(prefix="plumbline-bench-") as folder:
        async with AsyncExitStack() as stack:
            browser = await stack.enter_async_context(chromium())
            installation = stack.enter_context(Installation(Path(folder), sample=True))
            cpu_s = installation.tree_cpu_s()
            line("link printed", f"{installation.ready - installation.began:.1f} s", f"{cpu_s:.1f} CPU-s")
            connection = Connection.load(installation.kubeconfig, context="")
            client = await stack.enter_async_context(Client.connect(connection))
            watching = asyncio.create_task(arrivals(client, installation.began))
            if browser is not None:
                await opened(browser, installation)
            else:
                line("no Chromium on PATH", "")
            await whole(installation, await watching)


async def opened(browser, installation):
    async with somebody(browser, installation.web) as context:
        page = await context.new_page()
        answer = await page.goto(installation.login, wait_until="commit")
        first, usable = await painted(page), await seen(page, _LISTED)
        line("page answers", f"{answer.status}")
        line("page drawn", f"{first - installation.began:.1f} s", "")
        line("page usable", f"{usable - installation.began:.1f} s", "<= 4 s")


async def whole(installation, well):
    for name, took_s in sorted(well.items(), key=lambda each: each[1]):
        line(f"  {name} arrived", f"{took_s:.1f} s")
    done = f"{max(well.values()):.1f} s" if len(well) == _APPLICATIONS else f"not in {_GIVE_UP_S:.0f} s"
    line("whole sample Synced and Healthy, Terraform waiting", done, "<= 25 s")
    line("  CPU of all processes", f"{installation.tree_cpu_s():.1f} s")
    await asyncio.sleep(_REST_S)
    memory = installation.memory()
    line("memory of all processes (PSS)", f"{memory.pss_mb:.0f} MB", "<= 300 MB")
    for part, pss_mb in installation.parts().items():
        line(f"  {part}", f"{pss_mb:.0f} MB")
    line("the same as a sum of RSS, shared pages many times", f"{memory.rss_mb:.0f} MB")
    line("RSS of the process itself", f"{installation.rss_mb():.0f} MB", "<= 300 MB")


async def arrivals(client, began):
    """When each application was well for the first time; nothing polls."""
    well = {}

    async def follow():
        async for event in client.follow(Target(APPLICATION.resource)):
            raw = getattr(event, "raw", None)
            if raw is not None and fine(app := decode(raw)):
                well.setdefault(app["metadata"]["name"], time.time() - began)
                if len(well) == _APPLICATIONS:
                    return

    with suppress(TimeoutError):
        await asyncio.wait_for(follow(), _GIVE_UP_S)
    return well


def fine(app):
    status = app.get("status", {})
    there = status.get("sync", {}).get("status") == "Synced"
    done = status.get("operationState", {}).get("phase") == "Succeeded"
    wanted = "Suspended" if app["metadata"]["name"] == "foundation" else "Healthy"
    return there and done and status.get("health", {}).get("status") == wanted
