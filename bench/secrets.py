"""SealedSecrets on `plumb up`: a thousand of them, opened by one core.

The key is one of RSA-4096, as installations have it; opening a value is one operation with its private half. The process
is kept on one core where the system can do that, and whoever makes the SealedSecrets and watches the Secrets is kept off it.
"""  # noqa: A005 - a part is called by what it measures, and is imported as bench.secrets

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path

import psutil

from bench.composition import IN_FLIGHT, NAMESPACES, QUIET_S, version
from bench.installing import Installation
from bench.timing import line
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Client, Connection, Target, Writing
from plumbline.kube.client.transport import Request
from plumbline.kube.names import GroupVersionResource
from plumbline.secrets.sealing import certificate_of, label_of

SEALED = GroupVersionResource("bitnami.com", "v1alpha1", "sealedsecrets")
SECRETS = GroupVersionResource("", "v1", "secrets")
CERTIFICATE = "/api/v1/namespaces/kube-system/services/http:sealed-secrets-controller:http/proxy/v1/cert.pem"
HOME = "bench"
BY_HAND = Writing(field_manager="bench", force=True)
_WITHIN_S = 600


def run(options=()):
    parser = argparse.ArgumentParser(prog="python -m bench secrets", description=__doc__.splitlines()[0])
    parser.add_argument("--secrets", type=int, default=1000, help="how many (1000)")
    chosen = parser.parse_args(list(options))
    with tempfile.TemporaryDirectory() as folder, Installation(Path(folder)) as installation:
        on = _pinned(installation.process.pid)
        asyncio.run(measured(installation, chosen.secrets, on))


def _pinned(pid):
    """Onto the last core, everybody else here onto the others; how that went, in words."""
    ours, here = psutil.Process(pid), psutil.Process()
    cores = here.cpu_affinity() if hasattr(here, "cpu_affinity") else []
    if len(cores) < 2:
        return "on whatever cores there are"
    for thread in ours.threads():  # those that are begun later are where the one is that begins them
        os.sched_setaffinity(thread.id, cores[-1:])
    here.cpu_affinity(cores[:-1])
    return "on one core"


async def measured(installation, many, on):
    connection = Connection.load(installation.kubeconfig, context="")
    async with Client.connect(connection, in_flight=IN_FLIGHT) as client:
        began_s = time.perf_counter()
        pem = (await client.send(Request("GET", CERTIFICATE))).body
        line("the first certificate: a key is made", f"{time.perf_counter() - began_s:.1f} s")
        await client.apply(Target(NAMESPACES, "", HOME), encode(_namespace()), BY_HAND)
        certificate = certificate_of(pem)
        await settled(client, [_sealed(certificate, "first")])  # code is loaded with the first one
        bodies = [_sealed(certificate, f"s{number:04}") for number in range(many)]
        await asyncio.sleep(2)
        before, cpu_s, idle_mb = await version(client), installation.cpu_s(), installation.rss_mb()
        took_s, made_s = await settled(client, bodies)
        used_s = installation.cpu_s() - cpu_s
        await asyncio.sleep(3)  # statuses and events come after the Secrets
        writes = await version(client) - before - many
        line(f"{many} SealedSecrets {on}: all Secrets there after", f"{took_s:.1f} s", "<= 20 s (1000)")
        line("  of that, until the last one was made by us", f"{made_s:.1f} s")
        line("  our CPU until then, with the API", f"{used_s:.1f} s")
        line("  for one", f"{used_s / many * 1000:.1f} ms")
        line("  memory (RSS), before and after", f"{idle_mb:.0f}, {installation.rss_mb():.0f} MB", "<= 250 MB")
        line("  API writes for one, its Secret, status and event", f"{writes / many:.2f}", "<= 3")
        await asyncio.sleep(QUIET_S / 2)
        before, cpu_s = await version(client), installation.cpu_s()
        await asyncio.sleep(QUIET_S)
        line(f"  {QUIET_S:.0f} quiet seconds: writes", f"{await version(client) - before}", "0")
        line(f"  {QUIET_S:.0f} quiet seconds: CPU", f"{installation.cpu_s() - cpu_s:.2f} s")
        line("  load of this machine", f"{psutil.getloadavg()[0]:.1f}")


async def settled(client, bodies):
    """Make them, wait until each has its Secret; how long that took, and how long only the making."""
    waiting = {body["metadata"]["name"] for body in bodies}
    done = asyncio.Event()

    async def follow():
        async for event in client.follow(Target(SECRETS, HOME)):
            raw = getattr(event, "raw", None)
            if raw is not None:
                waiting.discard(decode(raw)["metadata"]["name"])
            if not waiting:
                done.set()

    following = asyncio.create_task(follow())
    began_s = time.perf_counter()
    await asyncio.gather(*(client.create(Target(SEALED, HOME), encode(body), BY_HAND) for body in bodies))
    made_s = time.perf_counter() - began_s
    try:
        await asyncio.wait_for(done.wait(), _WITHIN_S)
    except TimeoutError:
        line("NOT THERE", f"{len(waiting)} of {len(bodies)}")
    following.cancel()
    return time.perf_counter() - began_s, made_s


def _namespace():
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOME}}


def _sealed(certificate, name):
    value = certificate.sealed(Plaintext(f"value of {name}"), label_of("strict", HOME, name))
    return {
        "apiVersion": "bitnami.com/v1alpha1",
        "kind": "SealedSecret",
        "metadata": {"name": name, "namespace": HOME},
        "spec": {"encryptedData": {"password": value}},
    }
