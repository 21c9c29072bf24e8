"""What Argo CD's own end-to-end tests want to find on loopback: Git, charts and registries, at the ports that stand in their files.

Usage: python -m tests.conformance.argocd_e2e.servers FOLDER FIXTURES, with the folder that has testdata.git and its like, which may go and come
back at any moment, and test/fixture of Argo CD's sources. Ends with SIGTERM.
"""

import base64
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.source.charts.server import OciServer, Server
from tests.source.git.server import ask_git

from plumbline.base.environment import environment

MOUNT = "/tmp/argo-e2e"
"""Where those tests have the folder, on the side of the servers."""
WEB = "/argo-e2e/"
CHARTS = "/helm-repo/"
USER = "admin"
PASSWORD = "password"
PLAIN, OVER_TLS, WITH_CERTIFICATES, SSH, REGISTRY, CLOSED_REGISTRY = 9080, 9443, 9444, 2222, 5000, 5001
BUILD = {"GOFLAGS": "-mod=mod -buildvcs=false", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"}


class Repositories(Server):
    """Git repositories of *folder*, and charts in one of them, for who says the password."""

    def __init__(self, folder, port, tls=None, *, certified=False):
        super().__init__(tls, port)
        self.folder = folder
        self.certified = certified
        self.required = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()

    def respond(self, asked):
        if self.certified and not asked.certified:
            return 400, {}, b"no certificate"
        if asked.authorization != self.required:
            return 401, {"WWW-Authenticate": 'Basic realm="Restricted"'}, b"who?"
        if not asked.path.startswith(WEB):
            return 404, {}, b"nothing here"
        path = asked.path.removeprefix(WEB)
        if CHARTS in path:
            return self._file(path)
        method, _, query = asked.line
        return ask_git(self.folder, (method, f"/{path}", query), asked.headers, asked.body, USER)

    def _file(self, path):
        there = (self.folder / path).resolve()
        if not there.is_relative_to(self.folder.resolve()) or not there.is_file():
            return 404, {}, b"no such file"
        return 200, {}, there.read_bytes()


class Registry(OciServer):
    def __init__(self, port, user=None):
        super().__init__(port=port)
        self.user, self.basic = user, True

    def respond(self, asked):
        return self.answer(asked)


def presenting(certificates, *, asking):
    """A server context, that with *asking* looks at certificates of clients."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "argocd-test-server.crt", certificates / "argocd-test-server.key")
    if asking:
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(certificates / "argocd-test-ca.crt")
    return context


@contextmanager
def over_ssh(folder, keys, port=SSH):
    """Git over ssh, by a program in Go: there is none in Python that is installed here."""
    with tempfile.TemporaryDirectory() as built:
        shutil.copytree(Path(__file__).parent / "sshd", built, dirs_exist_ok=True)
        subprocess.run(["go", "build", "-o", "sshd", "."], cwd=built, env={**environment(), **BUILD}, check=True)
        with subprocess.Popen([f"{built}/sshd", str(port), keys, MOUNT, folder], stdin=subprocess.PIPE) as running:
            try:
                yield
            finally:
                running.terminate()


def serve(folder, fixtures):
    certificates = fixtures / "certs"
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    with ExitStack() as running:
        for server in (
            Repositories(folder, PLAIN),
            Repositories(folder, OVER_TLS, presenting(certificates, asking=False)),
            Repositories(folder, WITH_CERTIFICATES, presenting(certificates, asking=True), certified=True),
            Registry(REGISTRY),
            Registry(CLOSED_REGISTRY, f"{USER}:{PASSWORD}"),
        ):
            running.enter_context(server.running())
        running.enter_context(over_ssh(folder, fixtures / "testrepos"))
        sys.stdout.write("serving\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), Path(sys.argv[2]).resolve())
