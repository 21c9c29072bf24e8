"""The first `plumb up`: when one can look at it, when all of the sample platform is well, and what the process weighs."""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.plane import rss_mb_of
from bench.timing import line
from plumbline.base.environment import environment
from plumbline.base.json import decode
from plumbline.cli.running import holder

_APPLICATIONS = 6
_GIVE_UP_S = 120.0


def run():
    folder = Path(tempfile.mkdtemp(prefix="plumbline-bench-"))
    try:
        measured(folder)
    finally:
        plumb("down", "--data", folder)
        shutil.rmtree(folder, ignore_errors=True)


def measured(folder):
    start = time.perf_counter()
    plumb("up", "-d", "--data", folder, "--api-port", 0, "--web-port", 0, "--sandbox-port", 0)
    line("ready, sample included", f"{time.perf_counter() - start:.1f} s", "<= 4 s")
    well: dict[str, float] = {}
    while len(well) < _APPLICATIONS and time.perf_counter() - start < _GIVE_UP_S:
        for name in arrived(folder):
            well.setdefault(name, time.perf_counter() - start)
        time.sleep(0.2)
    for name, took_s in sorted(well.items(), key=lambda each: each[1]):
        line(f"  {name} arrived", f"{took_s:.1f} s")
    whole = f"{max(well.values()):.1f} s" if len(well) == _APPLICATIONS else f"not in {_GIVE_UP_S:.0f} s"
    line("whole sample Synced and Healthy, Terraform waiting", whole, "<= 25 s")
    line("memory of the process, without its children", f"{rss_mb_of(holder(folder)):.0f} MB", "<= 300 MB")


def arrived(folder):
    listed = plumb("app", "list", "-o", "json", kubeconfig=folder / "kubeconfig")
    for app in decode(listed.stdout or b"[]"):
        status = app.get("status", {})
        there = status.get("sync", {}).get("status") == "Synced"
        done = status.get("operationState", {}).get("phase") == "Succeeded"
        wanted = "Suspended" if app["metadata"]["name"] == "foundation" else "Healthy"
        if there and done and status.get("health", {}).get("status") == wanted:
            yield app["metadata"]["name"]


def plumb(*arguments, kubeconfig=""):
    argv = [str(Path(sys.executable).with_name("plumb")), *map(str, arguments)]
    surroundings = {**environment(), "KUBECONFIG": str(kubeconfig)}
    return subprocess.run(argv, env=surroundings, capture_output=True, check=False)
