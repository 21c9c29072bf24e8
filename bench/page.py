"""Ten thousand applications on `plumb up`, in Chromium: until there are rows, until a filter shows, until news arrive."""

import asyncio
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp

from bench.browsing import NOW, PATIENCE_S, Wire, chromium, seen, somebody
from bench.delivery.metering import busy_cores
from bench.installing import Installation
from bench.timing import line
from plumbline.base.json import encode
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Client, Connection, Target, Writing

COUNT = 10_000
NAMESPACE = "argocd"
ROUNDS = 7
IN_FLIGHT = 16
BY_HAND = Writing(field_manager="bench")
_SKIP = "argocd.argoproj.io/skip-reconcile"
_REVISION = "0123456789abcdef0123456789abcdef01234567"
_LISTING = "/api/v1/applications?"
_ROW = "document.querySelector('tbody a[href*=\"service-\"]')"
_THERE = "document.querySelector('nav a[href=\"/applications\"]')"
_PICK = """[...document.querySelectorAll('label')].find((each) => each.textContent.startsWith('Degraded')).control.click()"""


def run():
    asyncio.run(measured())


async def measured():
    async with AsyncExitStack() as stack:
        browser = await stack.enter_async_context(chromium())
        if browser is None:
            line("no Chromium on PATH", "nothing measured in it")
            return
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="plumbline-bench-"))
        installation = stack.enter_context(Installation(Path(folder)))
        connection = Connection.load(installation.kubeconfig, context="")
        client = await stack.enter_async_context(Client.connect(connection, in_flight=IN_FLIGHT))
        await crowded(client)
        line("cores that others keep busy, before", f"{busy_cores():.2f}")
        async with somebody(browser, installation.web) as context:
            page = await context.new_page()
            await page.goto(installation.login)
            page.set_default_timeout(PATIENCE_S * 1000)
            await seen(page, _ROW)
            state = await context.storage_state()
            await loading(browser, installation.web, state)
            await looking(page, client)
        memory = installation.memory()
        line("memory of all processes with them (PSS)", f"{memory.pss_mb:.0f} MB")


async def crowded(client):
    """As many as there are to be, each as its controller would have left it; none is reconciled."""
    target, left = Target(APPLICATION.resource, NAMESPACE), iter(range(COUNT))

    async def make():
        for number in left:
            await client.create(target, encode(application(number)), BY_HAND)

    began = time.perf_counter()
    await asyncio.gather(*(make() for _ in range(IN_FLIGHT)))
    line(f"{COUNT:,} applications made in", f"{time.perf_counter() - began:.0f} s")


async def loading(browser, web, state):
    """By somebody who has never been there, so that nothing is in a cache; the middle of several."""
    took_ms, listed, whole, urls = [], [], [], []
    for _ in range(ROUNDS):
        async with somebody(browser, web, state) as context:
            page = await context.new_page()
            wire = await Wire.of(page)
            await page.goto("/applications", wait_until="commit")
            rows = await seen(page, _ROW)
            took_ms.append(rows * 1000 - await page.evaluate("performance.timeOrigin"))
            listed.append(next(size for url, size in wire.bytes.items() if _LISTING in url))
            whole.append(sum(wire.bytes.values()))
            urls = [url for url in wire.bytes if url.startswith(f"{web}/") and "/api/" not in url]
    line("first rows, browser and cache empty", middle(took_ms), "<= 300 ms")
    line("  the list in it, as sent", f"{max(listed) / 1000:.0f} kB", "<= 100 kB")
    line("  all of it, as sent", f"{max(whole) / 1000:.0f} kB")
    line("  the page's own files, with gzip", f"{await zipped(urls) / 1000:.0f} kB", "<= 250 kB")


async def zipped(urls):
    """Bytes of the bodies, as a client that takes gzip and nothing else gets them."""
    total = 0
    only = {"Accept-Encoding": "gzip"}
    async with aiohttp.ClientSession(headers=only, auto_decompress=False) as session:
        for url in urls:
            async with session.get(url) as answer:
                total += len(await answer.read())
    return total


async def looking(page, client):
    again, picked, typed = [], [], []
    for turn in range(ROUNDS):
        # Loaded anew, so that the page has kept no answer from the last round.
        await page.goto("/settings/about")
        await seen(page, _THERE)
        again.append(await shown(page, f"{_THERE}.click()", _ROW))
        picked.append(await shown(page, _PICK, counted(COUNT // 50)))
        await page.evaluate(f"() => {{ {_PICK}; }}")
        await seen(page, counted(COUNT))
        name = f"service-{turn * COUNT // ROUNDS:05}"
        typed.append(await shown(page, entered(name), counted(1)))
        await page.evaluate(f"() => {{ {entered('')}; }}")
        await seen(page, counted(COUNT))
    line("first rows in a page that is open, from a click on", middle(again), "<= 300 ms")
    line("filter by a click, until it shows", middle(picked), "<= 150 ms")
    line("filter by typing, from the last key on", middle(typed), "<= 150 ms; the page itself waits 150")
    await arriving(page, client)


async def arriving(page, client):
    """From before a write is sent until the row of its application is drawn anew."""
    took_ms = []
    for turn in range(2 * ROUNDS):
        name, health = f"service-{turn % 5 + 1:05}", ("Degraded", "Healthy")[turn // 5 % 2]
        row = f"document.querySelector('a[href*=\"{name}\"]')?.closest('tr, [role=row]')?.textContent.includes('{health}')"
        if await page.evaluate(f"() => Boolean({row})"):
            raise AssertionError(f"{name} is {health} before anybody said so")
        await page.evaluate(f"() => {{ window.benchLater = window.benchSeen(() => {row}); }}")
        began = time.time()
        body = {"status": {"health": {"status": health}}}
        await client.patch(Target(APPLICATION.resource, NAMESPACE, name), encode(body), "merge", BY_HAND)
        took_ms.append(await page.evaluate("() => window.benchLater") - began * 1000)
        await asyncio.sleep(0.3)
    line("a change in the API, until its row shows it", middle(took_ms), "<= 300 ms")


async def shown(page, press, there):
    """Milliseconds from *press* until *there* is drawn."""
    watch = f"window.benchLater = window.benchSeen(() => {there});"
    await page.evaluate(f"() => {{ {watch} window.benchBegan = {NOW}; {press}; }}")
    async with asyncio.timeout(PATIENCE_S):
        return await page.evaluate("() => window.benchLater.then((at) => at - window.benchBegan)")


def entered(text):
    """As the browser tells a page of what was typed."""
    find = "document.querySelector('input[aria-label=\"Filter applications\"]')"
    write = "Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set"
    return f"{{ const field = {find}; {write}.call(field, '{text}'); field.dispatchEvent(new Event('input', {{ bubbles: true }})); }}"


def counted(many):
    noun = "application" if many == 1 else "applications"
    return f"/(^|[^0-9,]){many:,} {noun}/.test(document.querySelector('main').innerText)"


def middle(took_ms):
    return f"{statistics.median(took_ms):.0f} ms, at worst {max(took_ms):.0f}"


def application(number):
    """Every fiftieth is degraded, every tenth out of sync."""
    name = f"service-{number:05}"
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": NAMESPACE, "annotations": {_SKIP: "true"}, "labels": {"team": f"team-{number % 30}"}},
        "spec": {
            "project": "default",
            "source": {"repoURL": "https://git.example.org/apps.git", "path": f"apps/{name}", "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": f"team-{number % 30}"},
        },
        "status": {
            "health": {"status": "Healthy" if number % 50 else "Degraded"},
            "sync": {"status": "Synced" if number % 10 else "OutOfSync", "revision": _REVISION},
            "operationState": {"phase": "Succeeded", "startedAt": "2026-01-02T00:00:00Z", "finishedAt": "2026-01-02T00:00:09Z"},
            "resources": [{"kind": "Deployment", "name": f"{name}-{each}", "status": "Synced"} for each in range(15)],
        },
    }  # fmt: skip
