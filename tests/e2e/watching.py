"""An installation of which everything is kept that it writes or prints, with bugs in it; and a Vault that answers badly."""

import http.server
import sys
import threading
from contextlib import contextmanager

import pytest
from tests.conformance.real import programs

from plumbline.base.json import encode

from .canaries import Canary, Sink
from .installation import Installation
from .secretive import SEALED

APP = "canaries"
EXTERNALS = "/apis/external-secrets.io/v1/namespaces/{}/externalsecrets"
CLOSELY = """
from plumbline.base.log import configure
configure(level="debug")
"""
PROGRAM = """
from plumbline.base.log import logger
from plumbline.secrets.sealed import reconciler
made = reconciler.made

def broken(unsealed):
    secret = made(unsealed)
    name = secret["metadata"]["name"]
    if name == "crashing":
        raise ValueError(f"this is a bug, and {unsealed.secret()} is what it speaks of")
    if name == "planted":
        logger("bug").debug("planted", said=secret["data"]["x"])
    return secret

reconciler.made = broken
from plumbline.cli.main import main
main()
"""
BUGGY = """
from plumbline.secrets.sealing.certificates import Certificate

def broken(self, value, label):
    raise ValueError(value.reveal().decode())

Certificate.sealed = broken
from plumbline.cli.main import main
main()
"""


class Watched(Installation):
    """As much as possible is written down, with a folder for temporary files, and what commands print is kept."""

    def __init__(self, folder):
        super().__init__(folder, programs=programs())
        self.temporary = folder.parent / "tmp"
        self.temporary.mkdir()
        self.printed = []
        self.before = CLOSELY

    def plumb(self, *args, stdin="", program=PROGRAM):
        said = self.shell([sys.executable, "-c", f"{self.before}{program}", *args], stdin=stdin)
        self.printed.append(Sink(f"plumb {' '.join(args)}", f"{said.out}\n{said.err}".encode()))
        return said

    def shell(self, argv, *, stdin=""):
        with pytest.MonkeyPatch.context() as surroundings:
            surroundings.setenv("TMPDIR", str(self.temporary))
            return super().shell(argv, stdin=stdin)

    def _troubles(self):
        paths = (SEALED.format(APP), EXTERNALS.format(APP))
        listed = [each for path in paths for each in (self.live(path) or {}).get("items", ())]
        told = [f"{each['kind']} {each['metadata']['name']}: {each.get('status')}" for each in listed]
        return "\n".join([super()._troubles(), *told])

    @property
    def home(self):
        """Of whoever types commands: crash reports are below it."""
        return self.folder.parent / ".plumbline"


class Planted(dict):
    """Canaries by their way."""

    def __missing__(self, way):
        self[way] = Canary(way)
        return self[way]

    def text(self, way):
        return self[way].text


@contextmanager
def vault(planted):
    """One that answers each path in its own bad way."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            value = planted.text(f"vault {self.path.rpartition('/')[2]}")
            body = {
                "fine": encode({"data": {"data": {"password": value}, "metadata": {"version": 1}}}),
                "garbled": f'{{"data": {{"password": "{value}'.encode(),
                "shapeless": encode({"data": value}),
                "lookup-self": encode({"data": {"ttl": 0, "renewable": False, "type": "service"}}),
            }.get(self.path.rpartition("/")[2], b'{"errors": ["permission denied"]}')
            self.send_response(200 if b"errors" not in body else 403)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Not a sink of ours."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
