"""Terraform objects on `plumb up`: what a plan costs beyond the tool's own run, and fifty of them when nothing has changed."""

import asyncio
import os
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import psutil

from bench.installing import Installation
from bench.timing import line
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Connection, Target, Writing
from plumbline.kube.names import GroupVersionResource

OBJECTS = 50
PLANS = 10
RESOURCES = 20
HOME = "infra"
TERRAFORMS = GroupVersionResource("infra.contrib.fluxcd.io", "v1alpha2", "terraforms")
REPOSITORIES = GroupVersionResource("source.toolkit.fluxcd.io", "v1", "gitrepositories")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
BY_HAND = Writing(field_manager="bench", force=True)
ASKED = "reconcile.fluxcd.io/requestedAt"
TOOLS = {"terraform", "tofu"}
_GLANCE_S = 0.02


def run():
    program = shutil.which("terraform") or shutil.which("tofu")
    if program is None:
        line("Terraform objects", "skipped", "there is neither terraform nor tofu on PATH")
        return
    with tempfile.TemporaryDirectory() as folder, Installation(Path(folder)) as installation:
        url = _pushed(installation, Path(folder))
        asyncio.run(_measured(installation, Path(folder), program, url))


async def _measured(installation, folder, program, url):
    connection = Connection.load(installation.kubeconfig)
    async with Client.connect(connection) as client:
        await _founded(client, url)
        await _made(client, "m00")
        await _applied(client, ["m00"])
        ours = statistics.median([await _planned_s(client, "m00") for _ in range(PLANS)])
        own = _own_s(folder, installation.kubeconfig, program)
        line("a plan of 20 resources, by hand with the same state", f"{own:.2f} s")
        line("the same through the controller, until its status says so", f"{ours:.2f} s")
        line("beyond the tool's own run", f"{max(ours - own, 0):.2f} s", "<= 0.5 s")
        names = [f"m{number:02}" for number in range(OBJECTS)]
        for name in names[1:]:
            await _made(client, name)
        await _applied(client, names)
        took_s, at_once, rss_mb = await _round(client, installation, names)
        line(f"{OBJECTS} objects, nothing changed: a full round", f"{took_s:.1f} s", "<= 60 s")
        line("tools at once", str(at_once), "<= 2")
        line("memory of ours", f"{rss_mb:.0f} MB", "<= 150 MB")


def _pushed(installation, folder):
    """The address of a repository with a root module for each object."""
    web = next(each for each in installation.said.decode().split() if each.startswith("http://"))
    request = urllib.request.Request(f"{web}/git/infra.git", data=b"{}", method="PUT")  # noqa: S310 - our own address
    urllib.request.urlopen(request).close()  # noqa: S310 - as above
    desk = folder / "desk"
    for number in range(OBJECTS):
        module = desk / f"m{number:02}"
        module.mkdir(parents=True)
        (module / "main.tf").write_text(_module())
    _git(desk, "init", "--quiet", "--initial-branch=main")
    _git(desk, "add", "--all")
    _git(desk, "-c", "user.name=ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--message", "all")
    _git(desk, "push", "--quiet", f"{web}/git/infra.git", "main")
    return f"{web}/git/infra.git"


async def _founded(client, url):
    await client.apply(Target(NAMESPACES, "", HOME), encode(_body("v1", "Namespace", HOME, namespace="")), BY_HAND)
    repository = _body("source.toolkit.fluxcd.io/v1", "GitRepository", "infra")
    repository["spec"] = {"url": url, "interval": "10m", "ref": {"branch": "main"}}
    await client.apply(Target(REPOSITORIES, HOME, "infra"), encode(repository), BY_HAND)


async def _made(client, name):
    body = _body("infra.contrib.fluxcd.io/v1alpha2", "Terraform", name)
    body["spec"] = {
        "path": f"./{name}",
        "sourceRef": {"kind": "GitRepository", "name": "infra"},
        "approvePlan": "auto",
        "interval": "10h",
        "retryInterval": "5s",
    }
    await client.apply(Target(TERRAFORMS, HOME, name), encode(body), BY_HAND)


async def _applied(client, names):
    for name in names:
        await _until(client, name, lambda status: status.get("lastAppliedRevision"))


async def _until(client, name, so):
    while True:
        if so(await _status(client, name)):
            return
        await asyncio.sleep(_GLANCE_S)


async def _planned_s(client, name):
    """From asking to being told."""
    asked = str(time.monotonic_ns())
    began = time.perf_counter()
    await _ask(client, name, asked)
    await _until(client, name, lambda status: status.get("lastHandledReconcileAt") == asked)
    return time.perf_counter() - began


async def _round(client, installation, names):
    """All at once; how long, how many tools were seen at a time, and the most memory."""
    ours, most, rss_mb = psutil.Process(installation.process.pid), 0, 0.0
    asked = str(time.monotonic_ns())
    began = time.perf_counter()
    for name in names:
        await _ask(client, name, asked)
    waiting = set(names)
    while waiting:
        for name in sorted(waiting)[:5]:
            if (await _status(client, name)).get("lastHandledReconcileAt") == asked:
                waiting.discard(name)
        most = max(most, _tools(ours))
        rss_mb = max(rss_mb, installation.rss_mb())
        await asyncio.sleep(_GLANCE_S)
    return time.perf_counter() - began, most, rss_mb


def _tools(ours):
    """Providers and the like are below a tool, and not tools themselves."""
    found = 0
    for each in ours.children(recursive=True):
        try:
            found += each.name() in TOOLS
        except psutil.NoSuchProcess:
            continue
    return found


def _own_s(folder, kubeconfig, program):
    """The same plan with the same state, as somebody runs it in a checkout."""
    desk = folder / "desk" / "m00"
    backend = f'terraform {{\n  backend "kubernetes" {{\n    secret_suffix = "m00"\n    namespace = "{HOME}"\n    config_path = "{kubeconfig}"\n  }}\n}}\n'
    (desk / "backend.tf").write_text(backend)
    surroundings = {**os.environ, "CHECKPOINT_DISABLE": "1"}
    _run([program, "init", "-input=false"], desk, surroundings)
    times = []
    for _ in range(PLANS):
        began = time.perf_counter()
        _run([program, "plan", "-input=false", "-lock=false", "-out=plan"], desk, surroundings)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


async def _ask(client, name, asked):
    change = {"metadata": {"annotations": {ASKED: asked}}}
    await client.patch(Target(TERRAFORMS, HOME, name), encode(change), "merge", BY_HAND)


async def _status(client, name):
    return decode(await client.get(Target(TERRAFORMS, HOME, name))).get("status") or {}


def _module():
    return "".join(f'resource "terraform_data" "t{at}" {{\n  input = "value {at}"\n}}\n' for at in range(RESOURCES))


def _body(version, kind, name, namespace=HOME):
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def _git(folder, *arguments):
    _run(["git", "-C", str(folder), *arguments], folder, dict(os.environ))


def _run(argv, folder, surroundings):
    subprocess.run(argv, cwd=folder, env=surroundings, check=True, capture_output=True)
