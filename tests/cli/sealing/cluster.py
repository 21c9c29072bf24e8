"""An API server on loopback that leads to a controller with real keys, as far as the verbs that seal ask for one."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from plumbline.base.errors import PlumblineError
from plumbline.base.json import decode, encode
from plumbline.secrets.sealing import renewed, resealed, verified

SERVICE = "/api/v1/namespaces/{}/services/{}"
PROXY = "/api/v1/namespaces/{}/services/http:{}:{}/proxy"
MISSING = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
FORBIDDEN = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}


class Cluster:
    def __init__(self, keyring, folder) -> None:
        self.keyring = keyring
        self.namespace, self.name, self.port = "kube-system", "sealed-secrets-controller", "http"
        self.asked: list[str] = []
        self.upstream = False
        """Whether it seals everything again, and says 500 to what it cannot open, as upstream's does."""
        self.busy = 0
        """How many questions are turned away first."""
        self.odd: dict[str, tuple[int, bytes]] = {}
        """Answers by path that are other than they should be."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(
            "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
            f"clusters: [{{name: here, cluster: {{server: '{self.address}'}}}}]\n"
            "contexts: [{name: here, context: {cluster: here, user: me, namespace: shop}}]\n"
            "users: [{name: me, user: {}}]\n"
        )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, path, body):
        self.asked.append(path)
        service = SERVICE.format(self.namespace, self.name)
        proxy = PROXY.format(self.namespace, self.name, self.port)
        place, query = urlsplit(path).path, urlsplit(path).query
        short = place.removeprefix(proxy)
        if short in self.odd:
            return self.odd[short]
        if place == service:
            ports = [{"name": self.port, "port": 8080}] if self.port else [{"port": 8080}]
            return 200, encode({"kind": "Service", "apiVersion": "v1", "spec": {"ports": ports}})
        if self.busy and short in {"/v1/verify", "/v1/rotate"}:
            self.busy -= 1
            return 429, b"limit exceeded\n"
        match short:
            case "/v1/cert.pem":
                return 200, self.keyring.newest.certificate_pem
            case "/v1/verify":
                return self._tried(lambda: verified(decode(body), self.keyring) or b"", 409)
            case "/v1/rotate":
                change = renewed if query == "keep=newest" and not self.upstream else resealed
                return self._tried(lambda: encode(self._bare(change(decode(body), self.keyring))), 500)
        return 404, encode({**MISSING, "details": {"name": self.name, "kind": "services"}})

    def _bare(self, obj):
        """Upstream's answers do not say what they are."""
        return {name: value for name, value in obj.items() if not (self.upstream and name in {"kind", "apiVersion"})}

    @staticmethod
    def _tried(work, closed):
        try:
            return 200, work()
        except PlumblineError:
            return closed, b""


def _handler(cluster):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self._reply(b"")

        def do_POST(self):
            self._reply(self.rfile.read(int(self.headers.get("Content-Length", 0))))

        def _reply(self, body):
            status, content = cluster.answer(self.path, body)
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "0")
            if status == 302:
                self.send_header("Location", content.decode())
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            """Tests are silent."""

    return Handler
