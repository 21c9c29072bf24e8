"""A cluster on which either the real Crossplane or our composition looks after claims; never both at once."""

import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from tests.conformance.real import MERGE_PATCH, PeersMissing, RealCluster, programs

from plumbline.base.environment import environment
from plumbline.base.json import encode

_OURS = Path(__file__).parent / "ours.py"
_GLANCE_S = 0.25
_END_S = 15
_UP = "EnableBetaClaimSSA"
"""The last thing that it says before it begins; its controllers say nothing."""
_CERTIFICATES = {"ca.crt": "ca.crt", "tls.crt": "admin.crt", "tls.key": "admin.key"}
_KINDS = {
    "CompositeResourceDefinition": "/apis/apiextensions.crossplane.io/v1/compositeresourcedefinitions",
    "Composition": "/apis/apiextensions.crossplane.io/v1/compositions",
    "CompositionRevision": "/apis/apiextensions.crossplane.io/v1/compositionrevisions",
    "CustomResourceDefinition": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "Gadget": "/apis/test.example.org/v1alpha1/gadgets",
    "Secret": "/api/v1/secrets",
    "ValidatingWebhookConfiguration": "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    "Namespace": "/api/v1/namespaces",
}


class Stage:
    """Nobody composes until `crossplane` or `ours` is entered."""

    def __init__(self, cluster: RealCluster, folder: Path) -> None:
        self.cluster = cluster
        self.folder = folder
        self._paths = dict(_KINDS)

    @contextmanager
    def crossplane(self):
        """The real one, without packages to fetch, webhooks, or functions to call."""
        program = programs() / "crossplane"
        if not program.exists():
            raise PeersMissing("crossplane is not built; build it with `make peers`")
        self._install()
        certificates = self._certificates()
        arguments = ["core", "start", "--enable-webhooks=false", f"--xpkg-cache-dir={self.folder / 'xpkg'}"]
        ports = ["--metrics-port=0", "--health-probe-port=0", "--webhook-port=0"]
        tls = [f"--tls-client-certs-dir={certificates}", f"--tls-server-certs-dir={certificates}"]
        with self._running("crossplane", [str(program), *arguments, *ports, *tls], _UP):
            yield

    @contextmanager
    def ours(self):
        with self._running("ours", [sys.executable, str(_OURS), str(self.cluster.kubeconfig)], "ready"):
            yield

    @contextmanager
    def _running(self, name, argv, sign):
        log = self.folder / f"{name}.log"
        with log.open("wb") as out:
            about = {**environment(), "KUBECONFIG": str(self.cluster.kubeconfig)}
            running = subprocess.Popen(argv, stdout=out, stderr=out, stdin=subprocess.DEVNULL, env=about)
        try:
            self.until(lambda: running.poll() is not None or sign in log.read_text(), f"{name} is up")
            assert running.poll() is None, log.read_text()
            yield
            assert running.poll() is None, log.read_text()
        finally:
            running.terminate()
            try:
                running.wait(_END_S)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()

    def _install(self):
        crds = programs().parent / "crossplane-crds"
        said = self.cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(crds))
        assert said.code == 0, said.err
        self.cluster.post(_KINDS["Namespace"], {"metadata": {"name": "crossplane-system"}})

    def _certificates(self):
        """Whom it would show to functions; there are none, but it does not start without."""
        folder = self.folder / "certificates"
        folder.mkdir(exist_ok=True)
        for name, source in _CERTIFICATES.items():
            (folder / name).write_bytes((self.cluster.folder / source).read_bytes())
        return folder

    def namespaces(self, *names):
        for name in names:
            self.cluster.post(_KINDS["Namespace"], {"metadata": {"name": name}})

    def apply(self, *objects):
        """As a person does, all at once."""
        text = "".join(f"---\n{encode(each).decode()}\n" for each in objects)
        said = self.cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=text)
        assert said.code == 0, said.err

    def patch(self, kind, name, change, namespace=""):
        answer = self.cluster.patch(self.path(kind, name, namespace), change, MERGE_PATCH)
        assert answer.fine, answer.body

    def delete(self, kind, name, namespace=""):
        assert self.cluster.send("DELETE", self.path(kind, name, namespace)).fine

    def learn(self, definition):
        """Where objects of the types that *definition* defines are."""
        spec = definition["spec"]
        version = next(each["name"] for each in spec["versions"] if each["referenceable"])
        for names in filter(None, (spec["names"], spec.get("claimNames"))):
            self._paths[names["kind"]] = f"/apis/{spec['group']}/{version}/{names['plural']}"

    def path(self, kind, name="", namespace=""):
        path = self._paths[kind]
        if namespace:
            head, _, plural = path.rpartition("/")
            path = f"{head}/namespaces/{namespace}/{plural}"
        return f"{path}/{name}" if name else path

    def get(self, kind, name, namespace=""):
        answer = self.cluster.get(self.path(kind, name, namespace))
        return answer.body if answer.fine else None

    def list(self, kind, **selection):
        answer = self.cluster.get(self.path(kind), **selection)
        return [{"kind": kind, **each} for each in answer.body["items"]] if answer.fine else []

    def until(self, true, what, *, within_s=60):
        """Wait for something to be so; returns what it was."""
        end = time.monotonic() + within_s
        while not (found := true()):
            assert time.monotonic() < end, f"not within {within_s} s: {what() if callable(what) else what}"
            time.sleep(_GLANCE_S)
        return found

    def established(self, *definitions):
        def all_are():
            found = {each["metadata"]["name"]: each for each in self.list("CompositeResourceDefinition")}
            return all(self._offers(found.get(each["metadata"]["name"]), each) for each in definitions)

        for each in definitions:
            self.learn(each)
        self.until(all_are, "every definition is established")

    @staticmethod
    def _offers(live, definition):
        conditions = ((live or {}).get("status") or {}).get("conditions") or ()
        true = {each["type"] for each in conditions if each["status"] == "True"}
        return "Established" in true and ("Offered" in true or "claimNames" not in definition["spec"])


@contextmanager
def staged(folder, *, namespaces=("shop",)):
    """A cluster with garbage collection, which ends with the block."""
    folder.mkdir()
    cluster = RealCluster(folder / "cluster")
    try:
        cluster.start()
        cluster.start_controllers()
        stage = Stage(cluster, folder)
        stage.namespaces(*namespaces)
        yield stage
    finally:
        cluster.stop()
