"""Servers on loopback: one that gives fixed answers, and a registry. Both count what they are asked."""

import base64
import re
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from plumbline.base.json import decode, encode

from .archives import sha256


class Asked:
    """One request."""

    def __init__(self, request, body):
        self.method = request.command
        parts = urlsplit(request.path)
        self.path, self.query = parts.path, parse_qs(parts.query)
        self.line = request.command, self.path, parts.query
        self.headers = {name.lower(): value for name, value in request.headers.items()}
        self.body = body
        certificate = request.connection.getpeercert() if isinstance(request.connection, ssl.SSLSocket) else None
        self.certified = bool(certificate)

    @property
    def authorization(self):
        return self.headers.get("authorization")

    def __repr__(self):
        return f"{self.method} {self.path}"


class Server:
    """*tls* is a server context. `answer` says status, headers and body for a request."""

    def __init__(self, tls=None, port=0):
        self.asked = []
        self.status = None
        """Answer everything with this."""
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _answering(self))
        self._http.daemon_threads = True
        self._scheme = "https" if tls else "http"
        if tls:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)

    @property
    def port(self):
        return self._http.server_port

    @property
    def base(self):
        return f"{self._scheme}://127.0.0.1:{self.port}"

    @property
    def elsewhere(self):
        """The same server under another name."""
        return f"{self._scheme}://localhost:{self.port}"

    def paths(self):
        return [each.path for each in self.asked]

    def respond(self, asked):
        self.asked.append(asked)
        if self.status:
            return self.status, {"Retry-After": "600"}, b"no"
        return self.answer(asked)

    @contextmanager
    def running(self):
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self._http.shutdown()
            self._http.server_close()
            thread.join()


def _answering(server):
    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def log_message(self, *_):
            pass

        def _any(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, headers, content = server.respond(Asked(self, body))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD" and status != 304:
                self.wfile.write(content)
            self.wfile.flush()
            if "Content-Length" in headers:
                self.close_connection = True

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = _any  # noqa: N815 - the names are given

    return Answering


class HelmServer(Server):
    """A static repository: `files` by path, and an index with a validator."""

    def __init__(self, tls=None):
        super().__init__(tls)
        self.files = {}
        self.moved = {}
        """Paths that redirect, and where to."""
        self.required = None
        """What the Authorization header has to be."""
        self.headers = {}
        self.etags = True

    def answer(self, asked):
        if asked.path in self.moved:
            return 302, {"Location": self.moved[asked.path]}, b""
        if self.required and asked.authorization != self.required:
            return 401, {"WWW-Authenticate": 'Basic realm="charts"'}, b""
        content = self.files.get(asked.path)
        if content is None:
            return 404, {}, b"no such file"
        headers = dict(self.headers)
        if self.etags:
            headers["ETag"] = f'"{sha256(content)[:16]}"'
            if asked.headers.get("if-none-match") == headers["ETag"]:
                return 304, headers, b""
        return 200, headers, content

    def publish(self, *charts, digests=True, base=""):
        """Put (name, version, archive) there, and index all of them. Those that were there before are not any more."""
        lines = ["apiVersion: v1", "entries:"]
        for name in dict.fromkeys(name for name, _, _ in charts):
            lines.append(f"  {name}:")
            for _, version, archive in (each for each in charts if each[0] == name):
                path = f"charts/{name}-{version}.tgz"
                self.files[f"/{path}"] = archive
                lines += ["  - apiVersion: v2", f"    name: {name}"]
                lines += [f"    digest: {sha256(archive)}"] if digests else []
                lines += ["    urls:", f"    - {base}{path}", f"    version: {version}"]
        lines.append('generated: "2026-01-01T00:00:00Z"')
        self.files["/index.yaml"] = "\n".join(lines).encode() + b"\n"


HELM_CONFIG = "application/vnd.cncf.helm.config.v1+json"
HELM_LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


class OciServer(Server):
    """A registry with the parts of the distribution interface that are needed to push and to pull."""

    def __init__(self, tls=None, port=0):
        super().__init__(tls, port)
        self.blobs = {}
        self.manifests = {}
        """By repository and reference: its type, its bytes."""
        self.page = 100
        self.user = None
        """user:password, with which tokens are issued."""
        self.realm = None
        """Where tokens are issued; here unless said."""
        self.basic = False
        """Wants user and password themselves."""
        self.life_s = 300
        self.blobs_at = ""
        """Another host that blobs are fetched from."""
        self.spoil = {}
        """By path, what is sent instead."""
        self.silent = False
        """Sends no digests."""
        self._tokens = {}
        self._count = 0

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    def answer(self, asked):
        if asked.path == "/token":
            return self._token(asked)
        if asked.path.startswith("/elsewhere/"):
            return 200, {}, self.blobs[asked.path.removeprefix("/elsewhere/")]
        name = re.fullmatch(r"/v2/(.+)/(?:blobs|manifests|tags)/.*", asked.path)
        denied = self._denied(asked, name[1] if name else "")
        if denied:
            return denied
        if asked.path in self.spoil:
            return 200, {}, self.spoil[asked.path]
        if asked.path == "/v2/":
            return 200, {}, b"{}"
        place = re.fullmatch(r"/v2/(.+)/(blobs|manifests|tags)/(.*)", asked.path)
        return self._repository(asked, *place.groups()) if place else (404, {}, b"{}")

    def tagged(self, name):
        return sorted(reference for known, reference in self.manifests if known == name and ":" not in reference)

    def push(self, name, tag, layers, config=HELM_CONFIG):
        """*layers* of (type, bytes). Returns the digest of the manifest."""
        described = []
        for kind, content in [(config, b"{}"), *layers]:
            digest = f"sha256:{sha256(content)}"
            self.blobs[digest] = content
            described.append({"mediaType": kind, "digest": digest, "size": len(content)})
        body = encode({"schemaVersion": 2, "mediaType": MANIFEST, "config": described[0], "layers": described[1:]})
        return self.push_manifest(name, tag, body)

    def push_manifest(self, name, tag, body, kind=MANIFEST):
        digest = f"sha256:{sha256(body)}"
        self.manifests[name, tag] = self.manifests[name, digest] = kind, body
        return digest

    def push_chart(self, name, tag, archive):
        return self.push(name, tag, [(HELM_LAYER, archive)])

    def _token(self, asked):
        wanted = f"Basic {base64.b64encode((self.user or '').encode()).decode()}"
        if self.user and asked.authorization != wanted:
            return 401, {}, b""
        token = f"token-{len(self._tokens)}"
        self._tokens[token] = asked.query.get("scope", ["repository::none"])[0]
        return 200, {}, encode({"token": token, "expires_in": self.life_s})

    def _denied(self, asked, name):
        if not self.user:
            return None
        if self.basic:
            wanted = f"Basic {base64.b64encode(self.user.encode()).decode()}"
            return None if asked.authorization == wanted else (401, {"WWW-Authenticate": 'Basic realm="x"'}, b"")
        scope = self._tokens.get((asked.authorization or "").removeprefix("Bearer "), "")
        if scope and scope.startswith(f"repository:{name}:"):
            return None
        realm = self.realm or f"{self.base}/token"
        challenge = f'Bearer realm="{realm}",service="tests",scope="repository:{name}:pull,push"'
        return 401, {"WWW-Authenticate": challenge}, b"{}"

    def _repository(self, asked, name, kind, reference):
        if kind == "tags":
            return self._tags(asked, name)
        if kind == "manifests":
            return self._manifest(asked, name, reference)
        return self._blob(asked, name, reference)

    def _tags(self, asked, name):
        tags = self.tagged(name)
        if not tags:
            return 404, {}, b"{}"
        last = asked.query.get("last", [""])[0]
        size = min(self.page, int(asked.query.get("n", ["100"])[0]))
        after = [tag for tag in tags if tag > last]
        headers = {}
        if len(after) > size:
            headers["Link"] = f'</v2/{name}/tags/list?n={size}&last={after[size - 1]}>; rel="next"'
        return 200, headers, encode({"name": name, "tags": after[:size]})

    def _manifest(self, asked, name, reference):
        if asked.method == "PUT":
            digest = self.push_manifest(name, reference, asked.body, asked.headers["content-type"])
            return 201, {"Docker-Content-Digest": digest, "Location": asked.path}, b""
        kind, body = self.manifests.get((name, reference), ("", b""))
        if not kind:
            return 404, {}, b"{}"
        headers = {} if self.silent else {"Docker-Content-Digest": f"sha256:{sha256(body)}"}
        return 200, {"Content-Type": kind, **headers}, body

    def _blob(self, asked, name, reference):
        if asked.method == "POST":
            self._count += 1
            return 202, {"Location": f"/v2/{name}/blobs/uploads/{self._count}"}, b""
        if asked.method == "PUT":
            digest = asked.query["digest"][0]
            self.blobs[digest] = asked.body
            return 201, {"Location": f"/v2/{name}/blobs/{digest}", "Docker-Content-Digest": digest}, b""
        if reference not in self.blobs:
            return 404, {}, b"{}"
        if self.blobs_at and asked.method == "GET":
            return 307, {"Location": f"{self.blobs_at}/elsewhere/{reference}"}, b""
        return 200, {"Docker-Content-Digest": reference}, self.blobs[reference]


def layers_of(body):
    return decode(body)["layers"]
