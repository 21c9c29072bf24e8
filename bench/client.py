"""The client against the real API server, beside a bare aiohttp loop that sends the same requests.

A round runs bare, client, client, bare: each side is once early and once late, so that a server that slows down, or a
neighbour that comes and goes, weighs on both. Ratios are medians over rounds. The two bare runs of a round are the same
code, so their ratio is what this machine cannot tell apart: a difference below it means nothing. What is measured besides
time is the CPU of this process; the server has its own.
"""

import ssl
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import aiohttp
import uvloop

from bench.timing import line
from plumbline.base.json import encode
from plumbline.base.tasks import task_group
from plumbline.kube.client import Client, Connection, Selection, Target, Writing
from plumbline.kube.names import GroupVersionResource

CLUSTER = Path(__file__).parents[1] / "tests" / "conformance" / "peers" / "cluster"
APPLIES, IN_FLIGHT, ROUNDS, LISTED = 1_000, 32, 7, 10_000
NAMESPACE = "default"
US = Writing(field_manager="bench", force=True)
KINDS = {
    "ConfigMap": GroupVersionResource("", "v1", "configmaps"),
    "Secret": GroupVersionResource("", "v1", "secrets"),
    "Service": GroupVersionResource("", "v1", "services"),
    "Deployment": GroupVersionResource("apps", "v1", "deployments"),
    "Role": GroupVersionResource("rbac.authorization.k8s.io", "v1", "roles"),
}


def run():
    with tempfile.TemporaryDirectory() as folder:
        started = subprocess.run([CLUSTER, "start", folder], capture_output=True, text=True, check=False)
        if started.returncode:
            line("no real API server", started.stderr.strip()[:60])
            return
        try:
            kubeconfig = Path(folder) / "kubeconfig"
            compare_applies(kubeconfig)
            uvloop.run(list_many(kubeconfig))
        finally:
            subprocess.run([CLUSTER, "stop", folder], check=True)


def compare_applies(kubeconfig):
    rounds = []
    for number in range(ROUNDS + 1):
        # Every run changes every object: an apply that changes nothing is cheaper for the server.
        runs = [
            timed(side, kubeconfig, mixed(f"{number}-{turn}")) for turn, side in enumerate((bare, ours, ours, bare))
        ]
        if number:
            rounds.append(runs)
    for name, turns in (("bare aiohttp", (0, 3)), ("client", (1, 2))):
        wall_s, cpu_s = (statistics.median(runs[turn][unit] for runs in rounds for turn in turns) for unit in (0, 1))
        line(f"{APPLIES:,} applies, {IN_FLIGHT} in flight: {name}", f"{wall_s:.2f} s", f"{cpu_s:.3f} CPU-s")
    for unit, what, budget in ((0, "time", "<= 1.3x"), (1, "CPU", "<= 2x")):
        ratios = [(runs[1][unit] + runs[2][unit]) / (runs[0][unit] + runs[3][unit]) for runs in rounds]
        noise = [max(runs[0][unit], runs[3][unit]) / min(runs[0][unit], runs[3][unit]) for runs in rounds]
        spread = f"{min(ratios):.2f}..{max(ratios):.2f}, bare to bare {statistics.median(noise):.2f}x"
        line(f"{what}, client to bare", f"{statistics.median(ratios):.2f}x", f"{budget} ({spread})")


def timed(side, *arguments):
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    done = uvloop.run(side(*arguments))
    assert done == APPLIES
    return time.perf_counter() - wall_s, time.process_time() - cpu_s


async def ours(kubeconfig, objects):
    async with Client.connect(Connection.load(kubeconfig), in_flight=IN_FLIGHT) as client:

        async def apply(item):
            kind, name, body = item
            await client.apply(Target(KINDS[kind], NAMESPACE, name), body, US)

        return await at_once(apply, objects)


async def bare(kubeconfig, objects):
    folder = kubeconfig.parent
    server = Connection.load(kubeconfig).server
    context = ssl.create_default_context(cafile=str(folder / "ca.crt"))
    context.load_cert_chain(folder / "admin.crt", folder / "admin.key")
    connector = aiohttp.TCPConnector(limit=0, ssl=context)
    headers = {"Content-Type": "application/apply-patch+yaml", "Accept": "application/json"}
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def apply(item):
            kind, name, body = item
            resource = KINDS[kind]
            url = f"{server}{resource.root}/namespaces/{NAMESPACE}/{resource.resource}/{name}?fieldManager=bench&force=true"
            async with session.patch(url, data=body) as reply:
                await reply.read()
                assert reply.status < 300, reply.status

        return await at_once(apply, objects)


async def at_once(apply, objects):
    """As many in flight as agreed, the same way for both."""
    waiting = iter(objects)
    done = 0

    async def work():
        nonlocal done
        for item in waiting:
            await apply(item)
            done += 1

    async with task_group() as tasks:
        for _ in range(IN_FLIGHT):
            tasks.create_task(work())
    return done


def mixed(mark):
    """Objects of five kinds in turn, as an application has them; *mark* makes every one of them differ."""
    made = []
    for number in range(APPLIES):
        kind = list(KINDS)[number % len(KINDS)]
        name = f"bench-{number}"
        made.append((kind, name, encode(manifest(kind, name, mark))))
    return made


def manifest(kind, name, mark):
    labels = {"app": name, "round": mark}
    spec = {
        "ConfigMap": {"data": {"mark": mark, "settings": "key=value\n" * 40}},
        "Secret": {"stringData": {"mark": mark, "password": "x" * 32}},
        "Service": {"spec": {"selector": {"app": name}, "ports": [{"port": 80, "targetPort": 8080}]}},
        "Deployment": {"spec": {"replicas": 2, "selector": {"matchLabels": {"app": name}}, "template": template(name)}},
        "Role": {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}]},
    }[kind]
    version = KINDS[kind].api_version
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "labels": labels}} | spec


def template(name):
    container = {
        "name": "app",
        "image": "registry.example/app:1",
        "ports": [{"containerPort": 8080}],
        "env": [{"name": f"VARIABLE_{number}", "value": "value"} for number in range(5)],
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
    }
    return {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}


async def list_many(kubeconfig):
    target = Target(KINDS["ConfigMap"], "many")
    async with Client.connect(Connection.load(kubeconfig)) as client:
        namespace = encode({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "many"}})
        await client.create(Target(GroupVersionResource("", "v1", "namespaces")), namespace)

        async def create(number):
            await client.create(target, encode(manifest("ConfigMap", f"c{number}", "list")), US)

        await at_once(create, range(LISTED))
        for what, selection in (
            ("in pages of 500", Selection()),
            ("in one answer", Selection(limit=0)),
            ("metadata alone", Selection(metadata_only=True)),
        ):
            await report(
                f"{LISTED:,} ConfigMaps listed {what}", lambda chosen=selection: listed(client, target, chosen)
            )
        await report(f"{LISTED:,} ConfigMaps followed to Synced", lambda: followed(client, target))


async def report(what, action):
    best_wall_s = best_cpu_s = float("inf")
    for _ in range(3):
        wall_s, cpu_s = time.perf_counter(), time.process_time()
        count = await action()
        best_wall_s = min(best_wall_s, time.perf_counter() - wall_s)
        best_cpu_s = min(best_cpu_s, time.process_time() - cpu_s)
        assert count == LISTED, count
    line(what, f"{best_cpu_s:.3f} CPU-s", f"<= 1.5 CPU-s ({best_wall_s:.2f} s)")


async def listed(client, target, selection):
    return len((await client.list(target, selection)).items)


async def followed(client, target):
    events = client.follow(target)
    async for told in events:
        if hasattr(told, "present"):
            await events.aclose()
            return len(told.present)
    return 0
