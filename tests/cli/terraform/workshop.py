"""A repository with root modules, a server that keeps their state, and the command line in between."""

import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from plumbline.cli.main import plumb

KEY = "c2l4dGVlbiBieXRlcyBvZiBzaXh0ZWVuIGJ5dGVzLi4="
CANARY = "canary-5f1c9e"


class States:
    """State by path over HTTP, with locks, as Terraform's `http` backend asks for it."""

    def __init__(self):
        states = self.states = {}
        locks = self.locks = {}

        class Handler(BaseHTTPRequestHandler):
            def _answer(self, status, content=b""):
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def _body(self):
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))

            def do_GET(self):
                found = states.get(self.path)
                self._answer(200 if found else 404, found or b"")

            def do_POST(self):
                states[self.path.partition("?")[0]] = self._body()
                self._answer(200)

            def do_LOCK(self):
                held = locks.setdefault(self.path, self._body())
                self._answer(200 if held is locks[self.path] else 423, held)

            def do_UNLOCK(self):
                self._body()
                locks.pop(self.path, None)
                self._answer(200)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(0.01), daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Said(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


class Repository:
    def __init__(self, folder: Path, states: States) -> None:
        self.folder, self.states = folder, states
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments):
        who = {
            f"GIT_{part}_{what}": f"ada{'@example.org' * (what == 'EMAIL')}"
            for part in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        environment = {"HOME": str(self.folder.parent), "PATH": os.environ["PATH"], **who}
        done = subprocess.run(
            ["git", *map(str, arguments)], cwd=self.folder, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, files, message="change"):
        for path, text in files.items():
            place = self.folder / path
            if text is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def branch(self, name):
        self.git("switch", "--quiet", "--create", name)

    def merged(self, name):
        self.git("switch", "--quiet", "main")
        self.git("merge", "--quiet", "--no-ff", "--message", f"Merge pull request #7 from {name}", name)
        return self.git("rev-parse", "HEAD")

    def module(self, name, value="1", more=""):
        """A root module whose state is on the server."""
        return (
            f'terraform {{\n  backend "http" {{\n    address        = "{self.states.url}/{name}"\n'
            f'    lock_address   = "{self.states.url}/{name}"\n    unlock_address = "{self.states.url}/{name}"\n  }}\n}}\n'
            f'resource "terraform_data" "x" {{\n  input = "{value}"\n}}\n{more}'
        )


class Command:
    """`plumb` in this process, with an environment of its own."""

    def __init__(self, home: Path, folder: Path, monkeypatch, **environment: str) -> None:
        monkeypatch.chdir(folder)
        for name in [name for name in os.environ if name.startswith(("AWS_", "CI", "GIT", "TF_"))]:
            monkeypatch.delenv(name)
        self.environment = {"HOME": str(home), **environment}

    def __call__(self, *arguments, **environment):
        result = CliRunner().invoke(plumb, [str(each) for each in arguments], env=self.environment | environment)
        return Said(result.exit_code, result.stdout, result.stderr)
