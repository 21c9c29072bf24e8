"""A whole installation that runs: `plumb up` in a process of its own, and a repository that it serves."""

import asyncio
import base64
import re
import subprocess
import sys
import time
from pathlib import Path

from plumbline.base.json import decode
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.names import GroupVersionResource

REPO = "https://git.example.org/shop.git"
SERVER = "https://kubernetes.default.svc"
_ENTRY = "from plumbline.cli.main import main; main()"


class Installed:
    """`plumb` runs the command line against it; `push` changes what is in Git."""

    def __init__(self, folder: Path) -> None:
        self.home, self.data, self.checkout = folder, folder / "data", folder / "checkout"
        self.web = ""

    @property
    def kubeconfig(self) -> Path:
        return self.data / "kubeconfig"

    def start(self) -> None:
        said = self.program("up", "--detach", "--bare", "--data", self.data, "--api-port", 0, "--web-port", 0)
        self.web = re.search(r"http://127\.0\.0\.1:\d+", said).group()
        self.git("init", "--quiet", "--initial-branch=main", self.checkout)
        self.push({"README.md": "a shop\n"})
        self.stand_for(REPO)

    def stand_for(self, url: str) -> None:
        """The repository that it serves is the one at *url* as well: then that one answers."""
        self.git("-C", self.data / "git" / "shop.git", "config", "--add", "plumbline.standsFor", url)

    def stop(self) -> None:
        self.program("down", "--data", self.data)

    def program(self, *args: object) -> str:
        done = subprocess.run(
            [sys.executable, "-c", _ENTRY, *map(str, args)],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env={"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        )
        return done.stdout

    def git(self, *args: object) -> str:
        environment = {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "GIT_AUTHOR_NAME": "ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
        }
        done = subprocess.run(["git", *map(str, args)], capture_output=True, text=True, check=True, env=environment)
        return done.stdout.strip()

    def password(self) -> str:
        """The administrator's first one, as it is read on the cluster."""
        target = Target(GroupVersionResource("", "v1", "secrets"), "argocd", "argocd-initial-admin-secret")

        async def read() -> bytes:
            async with Client.connect(Connection.load(self.kubeconfig)) as client:
                return await client.get(target)

        return base64.b64decode(decode(asyncio.run(read()))["data"]["password"]).decode()

    def push(self, files: dict[str, str]) -> str:
        """Commit some files, and give the commit."""
        for path, text in files.items():
            file = self.checkout / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.git("-C", self.checkout, "add", "--all")
        self.git("-C", self.checkout, "commit", "--quiet", "--allow-empty", "--message", "change")
        return self.push_as_it_is()

    def push_as_it_is(self) -> str:
        """What has been committed, and give the commit."""
        self.git("-C", self.checkout, "push", "--quiet", f"{self.web}/git/shop.git", "main")
        return self.git("-C", self.checkout, "rev-parse", "HEAD")


class Plumb:
    """The command line in this process, against an installation."""

    def __init__(self, run, installed: Installed) -> None:
        self._run = run
        self.installed = installed

    def __call__(self, *args, **more):
        return self._run(*args, **more)

    def done(self, *args, **more):
        """What was printed by a command that succeeded."""
        said = self._run(*args, **more)
        assert said.code == 0, said.err
        return said.out

    def create(self, name, *flags, path=None, namespace="default", manual=True):
        policy = () if manual else ("--sync-policy", "automated", "--auto-prune", "--self-heal")
        to = ("--dest-server", SERVER, "--dest-namespace", namespace)
        self.done(
            "app", "create", name, "--repo", REPO, "--path", path or name, "--revision", "main", *to, *policy, *flags
        )

    def until(self, true, within_s=60):
        """Wait for something to be so."""
        deadline_s = time.monotonic() + within_s
        while not true():
            assert time.monotonic() < deadline_s
            time.sleep(0.2)

    def app(self, name):
        return decode(self.done("app", "get", name, "-o", "json"))


def config_map(name, value="1", **metadata):
    labels = f", labels: {{{', '.join(f'{key}: {text}' for key, text in metadata.items())}}}" if metadata else ""
    return f'apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}{labels}}}\ndata: {{value: "{value}"}}\n'


def deployment(name):
    return f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{containers: [{{name: main, image: "registry.example.org/{name}:1"}}]}}
"""
