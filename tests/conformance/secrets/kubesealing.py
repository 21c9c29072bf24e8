"""The real kubeseal, and the endpoints that it asks, on our plane and on a real API server."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from tests.conformance.real import MERGE_PATCH, RealCluster, Spoken, programs

from plumbline.apiserver.hosting import hosted
from plumbline.apiserver.webhooks import Place
from plumbline.base.clock import SystemClock
from plumbline.base.errors import InvalidInput
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kube.client import Client, Connection
from plumbline.secrets.publishing import NAME, NAMESPACE, PORT, Pods, manifests, published
from plumbline.secrets.sealing import Keyring, SealingKey, made_key, resealed, verified
from plumbline.web.sealing import Counts, Sealing, SealingPort, SealingSettings, Terms

PROXY = f"/api/v1/namespaces/{NAMESPACE}/services/http:{NAME}:http/proxy"
_BITS = 2048
_SAID_S = 60
_COME_S = 30
_LABELS = {"app.kubernetes.io/name": "plumbline-conformance"}
_POD = f"/api/v1/namespaces/{NAMESPACE}/pods"


@cache
def key(age_days: int) -> SealingKey:
    """One per age, for all tests: they take a while to make."""
    return made_key(datetime.now(UTC) - timedelta(days=age_days), size=_BITS)


class Ring:
    """Whoever has the keys; tests give it others."""

    def __init__(self, *keys: SealingKey) -> None:
        self.keyring = Keyring(keys)

    async def certificate(self) -> bytes | None:
        return self.keyring.newest.certificate_pem if self.keyring.keys else None

    async def verified(self, body: bytes) -> None:
        await asyncio.to_thread(verified, _object(body), self.keyring)

    async def resealed(self, body: bytes, *, keep: bool = False) -> bytes:
        return encode(await asyncio.to_thread(resealed, _object(body), self.keyring))


def _object(body: bytes) -> JsonObject:
    found = decode(body)
    what = (found.get("apiVersion"), found.get("kind")) if isinstance(found, dict) else ()
    if what != ("bitnami.com/v1alpha1", "SealedSecret"):
        raise InvalidInput("it is no SealedSecret")
    return found


class Kubeseal:
    """On one cluster, where *ring* answers. Others go on while it speaks."""

    def __init__(self, kubeconfig: Path, ring: Ring) -> None:
        self.ring = ring
        self._kubeconfig = kubeconfig

    async def say(self, *args: str, stdin: str = "") -> Spoken:
        argv = [str(programs() / "kubeseal"), "--kubeconfig", str(self._kubeconfig), *args]
        return await asyncio.to_thread(_said, argv, stdin)

    async def told(self, *args: str, stdin: str = "") -> str:
        """What it says, where all goes well."""
        said = await self.say(*args, stdin=stdin)
        assert said.code == 0, said.err
        return said.out


def _said(argv: list[str], stdin: str) -> Spoken:
    done = subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=_SAID_S, check=False)
    return Spoken(done.returncode, done.stdout, done.stderr)


@asynccontextmanager
async def on_our_plane(folder: Path, ring: Ring, terms: Terms) -> AsyncIterator[Kubeseal]:
    """As wiring does it: a port on loopback, and a plane that is told where it is."""
    clock, ids = SystemClock(), Ids()
    part = Sealing(ring, clock, Counts(), terms)
    async with hosted(folder, 0, clock, ids) as plane, SealingPort(SealingSettings(), part).running() as port:
        with plane.plane.addresses.announced(Place("services", NAMESPACE, NAME, PORT), port.url):
            await published(Client(plane.plane.transport()))
            yield Kubeseal(plane.kubeconfig, ring)


@asynccontextmanager
async def on_a_real_server(cluster: RealCluster, ring: Ring, terms: Terms) -> AsyncIterator[Kubeseal]:
    """As in a pod that a Service selects, but for the kubelet, whose part of the pod's status is written here."""
    part = Sealing(ring, SystemClock(), Counts(), terms)
    settings = SealingSettings(host=await asyncio.to_thread(own_address))
    async with (
        SealingPort(settings, part).running() as port,
        Client.connect(Connection.load(cluster.kubeconfig)) as client,
    ):
        behind = Pods(_LABELS, port.port)
        try:
            await published(client, behind=behind)
            await asyncio.to_thread(_begin_pod, cluster, settings.host)
            await asyncio.to_thread(_await_proxy, cluster)
            yield Kubeseal(cluster.kubeconfig, ring)
        finally:
            await asyncio.to_thread(cluster.send, "DELETE", f"{_POD}/sealing", gracePeriodSeconds="0")
            for target in manifests(behind=behind):
                await client.delete(target)


@cache
def own_address() -> str:
    """By which others reach this machine: API servers pass nothing on to loopback.

    Nothing is sent to find out; a process of its own asks, since tests may not even begin to.
    """
    script = "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.connect(('198.51.100.1', 9)); print(s.getsockname()[0])"
    return _said([sys.executable, "-c", script], "").out.strip()


def _begin_pod(cluster: RealCluster, ip: str) -> None:
    metadata = {"name": "sealing", "labels": _LABELS}
    # Endpoints are of pods that are on a node. That there is none of that name is found out after a minute.
    spec = {"containers": [{"name": "plumbline", "image": "plumbline"}], "nodeName": "here"}
    made = cluster.post(_POD, {"metadata": metadata, "spec": spec})
    assert made.status == 201, made.body
    conditions = [{"type": "Ready", "status": "True"}]
    status = {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}], "conditions": conditions}
    said = cluster.patch(f"{_POD}/sealing/status", {"status": status}, MERGE_PATCH)
    assert said.fine, said.body


def _await_proxy(cluster: RealCluster) -> None:
    """Until controllers have noticed the pod."""
    deadline_s = time.monotonic() + _COME_S
    while not (answer := cluster.get(f"{PROXY}/healthz")).fine:
        assert time.monotonic() < deadline_s, answer.body
        time.sleep(0.1)
