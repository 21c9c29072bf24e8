"""A real Vault for one test session, in memory and on loopback, and the shortest way to talk to it."""

import http.client
import socket
import subprocess
import time
from contextlib import contextmanager
from urllib.parse import quote, urlencode, urlsplit

from tests.conformance.real import programs

from plumbline.base.json import decode, encode

ROOT = "root"
PROGRAM = programs() / "vault"
WAY = "tests/conformance/peers/build vault"
_START_S = 30


class Asker:
    """Requests as root, or with another token; the same for a real server and for ours."""

    def __init__(self, url, root=ROOT):
        self.url = url
        self.root = root

    def ask(self, method, path, body=None, *, query=None, token=None):
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        try:
            target = f"/v1/{quote(path)}" + (f"?{urlencode(query)}" if query else "")
            shown = self.root if token is None else token
            headers = {"X-Vault-Request": "true"} | ({"X-Vault-Token": shown} if shown else {})
            connection.request(method, target, encode(body) if body is not None else None, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        return answer.status, (decode(content) if content.strip() else None)

    def must(self, method, path, body=None):
        status, answer = self.ask(method, path, body)
        assert status < 300, (method, path, status, answer)
        return answer


@contextmanager
def real_vault(folder):
    """`vault server -dev`, with the key engine of version 1 at kv and the methods that tests log in with."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    argv = [str(PROGRAM), "server", "-dev", f"-dev-root-token-id={ROOT}", "-dev-no-store-token"]
    log = (folder / "vault.log").open("wb")
    running = subprocess.Popen(
        [*argv, f"-dev-listen-address=127.0.0.1:{port}"],
        stdout=log,
        stderr=log,
        env={"HOME": str(folder), "VAULT_DISABLE_MLOCK": "true"},
    )
    try:
        asker = Asker(f"http://127.0.0.1:{port}")
        _wait(asker, running, folder)
        asker.must("POST", "sys/mounts/kv", {"type": "kv", "options": {"version": "1"}})
        for method in ("approle", "jwt", "userpass"):
            asker.must("POST", f"sys/auth/{method}", {"type": method})
        yield asker
    finally:
        running.terminate()
        running.wait(10)
        log.close()


def _wait(asker, running, folder):
    end = time.monotonic() + _START_S
    while time.monotonic() < end and running.poll() is None:
        try:
            if asker.ask("GET", "sys/health")[0] == 200 and asker.ask("GET", "sys/internal/ui/mounts/secret")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"vault did not start: {(folder / 'vault.log').read_text()[-2000:]}")
