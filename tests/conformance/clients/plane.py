"""Our control plane as people start it, in a folder and on a port of its own."""

import contextlib
import ssl
import subprocess
import sys
from functools import cached_property
from pathlib import Path

from tests.conformance.real import RealCluster

from plumbline.base.documents import load_document
from plumbline.base.environment import environment

_START_S = 60
_PLUMB = (sys.executable, "-c", "from plumbline.cli.main import main; main()")


class PlaneBroken(Exception):
    """`plumb up` or `plumb down` did not do what was asked; the log says why."""


class OurPlane(RealCluster):
    """`plumb up` on *folder*: everything that a test may ask of a real cluster, it may ask of this one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.ca = folder / "pki" / "ca.crt"
        self._port = 0

    def start(self) -> None:
        """The first start takes a free port, every later one the same again."""
        self._plumb("up", "--detach", "--bare", "--api-port", str(self._port), "--web-port", "0")
        self._port = int(self.url.rpartition(":")[2])

    def stop(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None
        self._plumb("down")

    def start_controllers(self) -> None:
        """They are part of it."""

    @contextlib.contextmanager
    def away(self):
        """It is down within, and back on its port afterwards."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    @property
    def log(self) -> str:
        return (self.folder / "plumb.log").read_text()

    def _plumb(self, verb: str, *args: str) -> None:
        argv = [*_PLUMB, verb, "--data", str(self.folder), *args]
        surroundings = {**environment(), "HOME": str(self.folder.parent)}
        done = subprocess.run(argv, env=surroundings, capture_output=True, text=True, timeout=_START_S, check=False)
        if done.returncode:
            raise PlaneBroken(f"plumb {verb} said {done.returncode}: {done.stderr.strip()}")

    @cached_property
    def url(self) -> str:
        config = load_document(self.kubeconfig.read_text()).value
        return str(config["clusters"][0]["cluster"]["server"])

    @cached_property
    def tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.ca))
        context.load_cert_chain(self.folder / "pki" / "admin.pem")
        return context
