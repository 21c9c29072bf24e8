"""Claims on the embedded control plane: each one a composite of three managed resources in the simulated AWS.

One `plumb up` does everything: the API, composition, managed resources. The simulated AWS is a process below it, and not
counted as ours. What is measured is seen from outside: claims are made through the API and watched until they are ready,
and writes are counted by what the store's version says.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from bench.installing import Installation
from bench.timing import line
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Connection, Target, Writing
from plumbline.kube.names import GroupVersionResource

CLAIMS = GroupVersionResource("bench.example.org", "v1", "stores")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
APIEXTENSIONS = "apiextensions.crossplane.io"
BY_HAND = Writing(field_manager="bench", force=True)
IN_FLIGHT = 32
QUIET_S = 20.0


def run(options=()):
    parser = argparse.ArgumentParser(prog="python -m bench composition", description=__doc__.splitlines()[0])
    parser.add_argument("--claims", type=int, default=500, help="how many (500)")
    parser.add_argument("--kinds", default="queue,topic,bucket", help="of what: queue, topic, bucket, database (three)")
    chosen = parser.parse_args(list(options))
    with tempfile.TemporaryDirectory() as folder, Installation(Path(folder)) as installation:
        asyncio.run(measured(installation, chosen.claims, tuple(chosen.kinds.split(","))))


async def measured(installation, many, kinds):
    connection = Connection.load(installation.kubeconfig, context="")
    async with Client.connect(connection, in_flight=IN_FLIGHT) as client:
        await defined(client, kinds)
        await settled(client, 1, 0)  # kinds, clients and models are loaded with the first one
        await asyncio.sleep(3)
        before, cpu_s, simulated_s = await version(client), installation.cpu_s(), installation.simulated_cpu_s()
        began_s = time.perf_counter()
        each_s = await settled(client, many, 1)
        took_s = time.perf_counter() - began_s
        used_s = installation.cpu_s() - cpu_s
        writes = await version(client) - before - many  # the claims themselves are made from here
        line(f"{many} claims of {len(kinds)}: all ready after", f"{took_s:.1f} s", "<= 60 s (500)")
        line("  a claim, in the middle and at worst", f"{statistics.median(each_s):.1f} s, {max(each_s):.1f} s")
        line("  our CPU, with the API", f"{used_s:.1f} s")
        line("  the simulated AWS's CPU", f"{installation.simulated_cpu_s() - simulated_s:.1f} s")
        line("  memory (RSS)", f"{installation.rss_mb():.0f} MB", "<= 250 MB")
        line("  API writes for a composed resource", f"{writes / (many * len(kinds)):.2f}", "<= 8")
        await asyncio.sleep(QUIET_S)
        before, cpu_s = await version(client), installation.cpu_s()
        await asyncio.sleep(QUIET_S)
        line(f"  {QUIET_S:.0f} quiet seconds: writes", f"{await version(client) - before}", "0")
        line(f"  {QUIET_S:.0f} quiet seconds: CPU", f"{installation.cpu_s() - cpu_s:.2f} s")


async def version(client):
    return int((await client.list(Target(NAMESPACES))).resource_version)


async def settled(client, many, first):
    """Make *many* claims, wait until all of them are ready; returns how long each one took."""
    names = {f"store-{number}" for number in range(first, first + many)}
    made_at, ready_at = {}, {}
    done = asyncio.Event()

    async def follow():
        async for event in client.follow(Target(CLAIMS)):
            raw = getattr(event, "raw", None)
            if raw is None:
                continue
            obj = decode(raw)
            name = obj["metadata"]["name"]
            conditions = (obj.get("status") or {}).get("conditions") or ()
            if name in names and any(each["type"] == "Ready" and each["status"] == "True" for each in conditions):
                ready_at.setdefault(name, time.perf_counter())
                if len(ready_at) == many:
                    done.set()

    following = asyncio.create_task(follow())

    async def make(name):
        made_at[name] = time.perf_counter()
        body = {"apiVersion": "bench.example.org/v1", "kind": "Store", "metadata": {"name": name}, "spec": {"size": 1}}
        await client.create(Target(CLAIMS, "default"), encode(body), BY_HAND)

    await asyncio.gather(*map(make, sorted(names)))
    try:
        await asyncio.wait_for(done.wait(), 600)
    except TimeoutError:
        line("NOT READY", f"{many - len(ready_at)} of {many}")
    following.cancel()
    return [ready_at[name] - made_at[name] for name in ready_at]


async def defined(client, kinds):
    xrd = {
        "apiVersion": f"{APIEXTENSIONS}/v1",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xstores.bench.example.org"},
        "spec": {
            "group": "bench.example.org",
            "names": {"kind": "XStore", "plural": "xstores"},
            "claimNames": {"kind": "Store", "plural": "stores"},
            "versions": [{"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}},
            }}}],
        },
    }  # fmt: skip
    composition = {
        "apiVersion": f"{APIEXTENSIONS}/v1",
        "kind": "Composition",
        "metadata": {"name": "stores"},
        "spec": {
            "compositeTypeRef": {"apiVersion": "bench.example.org/v1", "kind": "XStore"},
            "mode": "Pipeline",
            "pipeline": [
                {"step": "compose", "functionRef": {"name": "function-patch-and-transform"}, "input": {
                    "apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources",
                    "resources": [RESOURCES[kind] for kind in kinds],
                }},
                {"step": "ready", "functionRef": {"name": "function-auto-ready"}},
            ],
        },
    }  # fmt: skip
    for obj, plural in ((xrd, "compositeresourcedefinitions"), (composition, "compositions")):
        resource = GroupVersionResource(APIEXTENSIONS, "v1", plural)
        await client.apply(Target(resource, "", obj["metadata"]["name"]), encode(obj), BY_HAND)
    for _ in range(100):
        page = decode(await client.get(Target(GroupVersionResource(APIEXTENSIONS, "v1", "compositeresourcedefinitions"), "", "xstores.bench.example.org")))  # fmt: skip
        if any(each["type"] == "Offered" for each in (page.get("status") or {}).get("conditions") or ()):
            return
        await asyncio.sleep(0.1)


def resource(name, group, kind, **for_provider):
    patches = [
        {"type": "CombineFromComposite", "toFieldPath": "spec.forProvider.tags.size", "combine": {
            "variables": [{"fromFieldPath": "spec.size"}], "strategy": "string", "string": {"fmt": "size-%v"}}},
        {"fromFieldPath": "metadata.labels[crossplane.io/claim-name]", "toFieldPath": "spec.forProvider.tags.claim"},
    ]  # fmt: skip
    base = {"apiVersion": group, "kind": kind, "spec": {"forProvider": {"region": "us-east-1", **for_provider}}}
    return {"name": name, "base": base, "patches": patches}


RESOURCES = {
    "queue": resource("queue", "sqs.aws.upbound.io/v1beta1", "Queue", visibilityTimeoutSeconds=60),
    "topic": resource("topic", "sns.aws.upbound.io/v1beta1", "Topic", displayName="news"),
    "bucket": resource("bucket", "s3.aws.upbound.io/v1beta2", "Bucket"),
    "database": resource(
        "database", "rds.aws.upbound.io/v1beta3", "Instance", instanceClass="db.t3.medium", engine="postgres",
        engineVersion="17.4", allocatedStorage=20, username="app", skipFinalSnapshot=True,
    ),
}  # fmt: skip
