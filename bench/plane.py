"""The embedded control plane beside the real API server: the same requests over TLS, from one process with 8 connections.

The server under test is a process of its own; client and server share the machine's cores, so figures are lower bounds.
CPU is the server's (and etcd's, where there is one).
"""

import asyncio
import base64
import itertools
import signal
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

import httptools
import uvloop

from bench.client import CLUSTER, KINDS, mixed
from bench.timing import line
from plumbline.base.documents import load_document
from plumbline.base.json import decode, encode
from plumbline.kube.client import Connection

CONNECTIONS = 8
CREATES, GETS, LISTED, WATCHERS = 3_000, 10_000, 10_000, 20
WRITES_PER_S, WATCHED_S = 300, 5
MAPS = "/api/v1/namespaces/default/configmaps"


def run():
    with tempfile.TemporaryDirectory() as folder:
        measure("embedded", Embedded(Path(folder) / "ours"))
    with tempfile.TemporaryDirectory() as folder:
        real = Real(Path(folder) / "real")
        if real.missing:
            line("no real API server", real.missing)
        else:
            measure("real", real)


def measure(name, server):
    started = time.perf_counter()
    server.start()
    line(f"{name}: ready after", f"{time.perf_counter() - started:.2f} s", server.budget("<= 1.5 s"))
    try:
        time.sleep(2)
        line(f"{name}: memory with nothing in it", f"{server.rss_mb():.0f} MB", server.budget("<= 90 MB"))
        uvloop.run(loads(name, server))
        line(f"{name}: memory after all this", f"{server.rss_mb():.0f} MB")
    finally:
        server.stop()


async def loads(name, server):
    ask = Asking(server.kubeconfig)
    await ask.open(CONNECTIONS)
    numbers = itertools.count()
    rate, cpu_ms = await rated(server, ask, [create(next(numbers)) for _ in range(CREATES)])
    line(
        f"{name}: creates of 1 KB ConfigMaps",
        f"{rate:,.0f}/s",
        f"{cpu_ms:.2f} CPU-ms each {server.budget('>= 1,000/s')}",
    )
    rate, cpu_ms = await rated(server, ask, [get(number % CREATES) for number in range(GETS)])
    line(f"{name}: gets", f"{rate:,.0f}/s", f"{cpu_ms:.2f} CPU-ms each {server.budget('>= 6,000/s')}")
    rate, cpu_ms = await rated(server, ask, [apply(*each) for each in mixed("bench")])
    line(
        f"{name}: applies that create, five kinds",
        f"{rate:,.0f}/s",
        f"{cpu_ms:.2f} CPU-ms each {server.budget('>= 400/s')}",
    )
    rate, cpu_ms = await rated(server, ask, [apply(*each) for each in mixed("again")])
    line(f"{name}: applies that change", f"{rate:,.0f}/s", f"{cpu_ms:.2f} CPU-ms each")
    await watching(name, server, ask, numbers)
    await growing(name, server, ask, numbers)
    await listing(name, server, ask)
    await ask.close()


async def watching(name, server, ask, numbers):
    """Time from before a write is sent until each watcher has it."""
    seen = asyncio.Queue()
    sent = {}
    watchers = [asyncio.ensure_future(watch(server.kubeconfig, seen)) for _ in range(WATCHERS)]
    await asyncio.sleep(1)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    writes = WRITES_PER_S * WATCHED_S
    tasks = []
    for turn in range(writes):
        await asyncio.sleep(max(0.0, begun + turn / WRITES_PER_S - loop.time()))
        number = next(numbers)
        sent[f"bench-{number}"] = time.perf_counter()
        tasks.append(asyncio.ensure_future(ask(create(number))))
    await asyncio.gather(*tasks)
    delays = []
    while len(delays) < writes * WATCHERS:
        names, at = await asyncio.wait_for(seen.get(), 10)
        delays.extend((at - sent[each]) * 1000 for each in names if each in sent)
    for watcher in watchers:
        watcher.cancel()
    delays.sort()
    p99 = delays[int(len(delays) * 0.99)]
    shown = f"p50 {statistics.median(delays):.1f} ms, p99 {p99:.1f} ms"
    line(f"{name}: {WATCHERS} watchers at {WRITES_PER_S} writes/s", shown, server.budget("p99 <= 100 ms"))


async def growing(name, server, ask, numbers):
    costs = []
    for goal in (1_000, 20_000):
        current = await count(ask)
        await rated(server, ask, [create(next(numbers)) for _ in range(max(0, goal - current))])
        _, cpu_ms = await rated(server, ask, [create(next(numbers)) for _ in range(1_000)])
        costs.append(cpu_ms)
    line(f"{name}: CPU per create at 1,000+ and 20,000 objects", f"{costs[0]:.2f}, {costs[1]:.2f} ms", "flat")


async def listing(name, server, ask):
    async def deleted(number):
        await ask(request("DELETE", f"{MAPS}/bench-{number}"))

    total = await count(ask)
    surplus = range(max(0, total - LISTED))
    await asyncio.gather(*(deleted(number) for number in surplus))
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        await ask(request("GET", MAPS))
        times.append((time.perf_counter() - begun) * 1000)
    line(f"{name}: list of {await count(ask):,} ConfigMaps", f"{min(times):.0f} ms", server.budget("<= 200 ms"))


async def count(ask):
    found = decode(await ask(request("GET", f"{MAPS}?limit=1")))
    return len(found["items"]) + found["metadata"].get("remainingItemCount", 0)


async def rated(server, ask, requests):
    if not requests:
        return 0.0, 0.0
    wall_s, cpu_s = time.perf_counter(), server.cpu_s()
    await asyncio.gather(*(ask(each) for each in requests))
    wall_s = time.perf_counter() - wall_s
    return len(requests) / wall_s, (server.cpu_s() - cpu_s) * 1000 / len(requests)


async def watch(kubeconfig, seen):
    ask = Asking(kubeconfig)
    rest = b""

    def piece(text):
        nonlocal rest
        at = time.perf_counter()
        *lines, rest = (rest + text).split(b"\n")
        seen.put_nowait(([decode(each)["object"]["metadata"]["name"] for each in lines if b'"ADDED"' in each[:20]], at))

    await ask.stream(request("GET", f"{MAPS}?watch=1&resourceVersion=0&timeoutSeconds=60"), piece)


def request(method, path, body=b"", kind="application/json"):
    head = f"{method} {path} HTTP/1.1\r\nHost: bench\r\nAccept: application/json\r\nUser-Agent: bench/1\r\n"
    head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n" if body else "\r\n"
    return head.encode() + body


def create(number):
    data = {f"key-{each}": "v" * 90 for each in range(10)}
    return request(
        "POST", MAPS, encode({"metadata": {"name": f"bench-{number}", "labels": {"app": "bench"}}, "data": data})
    )


def get(number):
    return request("GET", f"{MAPS}/bench-{number}")


def apply(kind, name, body):
    resource = KINDS[kind]
    path = f"{resource.root}/namespaces/default/{resource.resource}/{name}"
    return request("PATCH", f"{path}?fieldManager=bench&force=true", body, "application/apply-patch+yaml")


class Asking:
    """A few connections, each with one request at a time; answers are read as cheaply as can be."""

    def __init__(self, kubeconfig):
        connection = Connection.load(kubeconfig)
        where = urlsplit(connection.server)
        self.host, self.port = where.hostname, where.port
        self.tls = tls_of(kubeconfig)
        self.free = asyncio.Queue()

    async def open(self, connections):
        for _ in range(connections):
            await self.free.put(await asyncio.open_connection(self.host, self.port, ssl=self.tls, limit=1 << 24))

    async def close(self):
        while not self.free.empty():
            self.free.get_nowait()[1].close()

    async def __call__(self, text):
        reader, writer = await self.free.get()
        pieces = []
        await exchanged(reader, writer, text, pieces.append)
        await self.free.put((reader, writer))
        return b"".join(pieces)

    async def stream(self, text, piece):
        reader, writer = await asyncio.open_connection(self.host, self.port, ssl=self.tls, limit=1 << 24)
        try:
            await exchanged(reader, writer, text, piece)
        finally:
            writer.close()


async def exchanged(reader, writer, text, piece):
    answer = Reading(piece)
    parser = httptools.HttpResponseParser(answer)
    answer.parser = parser
    writer.write(text)
    while not answer.done:
        some = await reader.read(1 << 16)
        if not some:
            raise ConnectionResetError(text[:60])
        parser.feed_data(some)
    assert answer.status < 300, (answer.status, text[:120])


class Reading:
    def __init__(self, piece):
        self.on_body = piece
        self.done = False
        self.status = 0

    def on_headers_complete(self):
        self.status = self.parser.get_status_code()

    def on_message_complete(self):
        self.done = True


def tls_of(kubeconfig):
    config = load_document(kubeconfig.read_bytes()).value
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]

    def text(holder, name):
        if f"{name}-data" in holder:
            return base64.b64decode(holder[f"{name}-data"])
        return Path(holder[name]).read_bytes()

    context = ssl.create_default_context(cadata=text(cluster, "certificate-authority").decode())
    with tempfile.NamedTemporaryFile() as both:
        both.write(text(user, "client-certificate") + b"\n" + text(user, "client-key"))
        both.flush()
        context.load_cert_chain(both.name)
    return context


class Embedded:
    def __init__(self, folder):
        self.folder = folder
        self.kubeconfig = folder / "kubeconfig"

    def budget(self, text):
        return text

    def start(self):
        command = [
            str(Path(sys.executable).with_name("plumb")),
            "up",
            "--bare",
            "--data",
            self.folder,
            "--api-port",
            "0",
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        while "export" not in self.process.stdout.readline():
            assert self.process.poll() is None

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)

    def pids(self):
        return [self.process.pid]

    def cpu_s(self):
        return sum(map(cpu_s_of, self.pids()))

    def rss_mb(self):
        return sum(map(rss_mb_of, self.pids()))


class Real(Embedded):
    missing = ""

    def __init__(self, folder):
        super().__init__(folder)
        probe = subprocess.run([CLUSTER, "start", folder], capture_output=True, text=True, check=False)
        if probe.returncode:
            self.missing = probe.stderr.strip()[:60]
        else:
            subprocess.run([CLUSTER, "stop", folder], check=True)

    def budget(self, _):
        return ""

    def start(self):
        subprocess.run([CLUSTER, "start", self.folder], check=True)

    def stop(self):
        subprocess.run([CLUSTER, "stop", self.folder], check=True)

    def pids(self):
        return [int(path.read_text()) for path in self.folder.glob("*.pid")]


def cpu_s_of(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def rss_mb_of(pid):
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024
