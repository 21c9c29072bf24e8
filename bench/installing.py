"""`plumb up` as a process of its own, and what all of it uses."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from bench.delivery import processes
from plumbline.base.environment import environment

_ENDS_S = 30
_SAID = {
    "kubeconfig": rb"export KUBECONFIG=(\S+)",
    "web": rb"web and /git/ +(\S+)",
    "login": rb"log in +(\S+)",
}


class Installation:
    """A context: it is there when it says so, and gone with the block. Without the sample platform, unless asked for."""

    def __init__(self, folder: Path, *, sample: bool = False) -> None:
        self.folder = folder
        self._sample = [] if sample else ["--bare"]

    def __enter__(self):
        argv = [str(Path(sys.executable).with_name("plumb")), "up", "--data", str(self.folder / "data"), *self._sample]
        ports = ["--api-port", "0", "--web-port", "0", "--sandbox-port", "0"]
        self.log = (self.folder / "log").open("wb")
        surroundings = {**environment(), "KUBECONFIG": ""}
        self.began = time.time()
        self.process = subprocess.Popen([*argv, *ports], env=surroundings, stdout=subprocess.PIPE, stderr=self.log)
        told = b""
        while not re.search(_SAID["kubeconfig"], told):
            told += self.process.stdout.readline() or sys.exit((self.folder / "log").read_text())
        self.ready = time.time()
        found = {name: re.search(pattern, told) for name, pattern in _SAID.items()}
        self.kubeconfig = Path(found["kubeconfig"][1].decode())
        self.web, self.login = found["web"][1].decode(), found["login"][1].decode()
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(_ENDS_S)
        self.log.close()

    def cpu_s(self):
        """Of the one process that is ours alone."""
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system

    def tree_cpu_s(self):
        """Of it and of all that it has started, ended ones included."""
        return sum(each.cpu_s for each in processes.family([self.process.pid], processes.all_stats()))

    def simulated_cpu_s(self):
        children = psutil.Process(self.process.pid).children(recursive=True)
        return sum(sum(each.cpu_times()[:2]) for each in children)

    def rss_mb(self):
        return psutil.Process(self.process.pid).memory_info().rss / 2**20

    def memory(self):
        """Of all processes of it."""
        return processes.memory([self.process.pid])

    def parts(self):
        """PSS in megabytes by what a process is, largest first."""
        found = {}
        for each in processes.family([self.process.pid], processes.all_stats()):
            command = (processes.PROC / str(each.pid) / "cmdline").read_text()
            name = next((name for text, name in _PARTS if text in command), "other")
            rollup = (processes.PROC / str(each.pid) / "smaps_rollup").read_text()
            found[name] = found.get(name, 0) + processes.memory_of(rollup).pss_mb
        return dict(sorted(found.items(), key=lambda part: -part[1]))


_PARTS = (
    ("zygote", "starting tools"),
    ("providers.sandbox", "simulated AWS"),
    ("postgres", "PostgreSQL"),
    ("plumb", "the process itself"),
)
