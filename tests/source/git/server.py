"""A Git server over smart HTTP on loopback, which can be told to behave badly. It counts what it is asked."""

import os
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PIECE_BYTES = 256


class GitServer:
    """Serves every repository below *root*. `asked` lists exchanges: `capabilities`, `ls-refs`, `fetch`."""

    def __init__(self, root):
        self.root = root
        self.asked = []
        self.authorizations = []
        self.answers = {}
        """Paths with a fixed answer: status, headers, body."""
        self.required = None
        """What the Authorization header has to be."""
        self.status = None
        """Answer everything with this."""
        self.spoil = {}
        """By exchange, what becomes of an answer: a function from its bytes to pieces, of which None hangs."""
        self.before = {}
        """By exchange, what happens before it is answered."""
        self.released = threading.Event()
        self._http = _Listening(("127.0.0.1", 0), type("Answering", (_Answering,), {"git": self}))

    @property
    def base(self):
        return f"http://127.0.0.1:{self._http.server_port}"

    def url(self, name):
        return f"{self.base}/{name}"

    def forget(self):
        self.asked.clear()
        self.authorizations.clear()

    @contextmanager
    def running(self):
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self._http.shutdown()
            self._http.server_close()
            thread.join()


class _Listening(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Clients that were ended in the middle are what the tests are about."""


class _Answering(BaseHTTPRequestHandler):
    git: GitServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._answer(b"")

    def do_POST(self):
        self._answer(self._body())

    def _body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def _answer(self, body):
        kind = "capabilities"
        if self.command == "POST":
            kind = "ls-refs" if b"command=ls-refs" in body else "fetch"
        fixed = self.git.answers.get(urlsplit(self.path).path)
        if callable(fixed):
            fixed = fixed(body)
        self.git.asked.append(kind if fixed is None else self.path)
        self.git.authorizations.append(self.headers.get("Authorization"))
        self.git.before.get(kind, lambda: None)()
        if fixed is not None:
            return self._send(*fixed)
        if self.git.status is not None:
            return self._send(self.git.status, {}, b"no")
        if self.git.required is not None and self.headers.get("Authorization") != self.git.required:
            return self._send(401, {"WWW-Authenticate": "Basic"}, b"who?")
        return self._send(*self._asked_of_git(body), self.git.spoil.get(kind))

    def _asked_of_git(self, body):
        place = urlsplit(self.path)
        return ask_git(self.git.root, (self.command, place.path, place.query), self.headers, body)

    def _send(self, status, headers, content, spoil=None):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        for piece in [content] if spoil is None else spoil(content):
            if piece is None:
                self.wfile.flush()
                self.git.released.wait(30)
                self.close_connection = True
                return
            self.wfile.write(piece)
        if spoil is not None:
            self.close_connection = True


def truncated(content):
    """Half of it, and then the connection ends."""
    yield content[: len(content) // 2]


def hanging(content):
    """Half of it, and then nothing more."""
    yield content[: len(content) // 2]
    yield None


def corrupted(content):
    """Of the right length, with other bytes near its end."""
    cut = len(content) - 40
    yield content[:cut]
    yield bytes(byte ^ 0x55 for byte in content[cut : cut + 10])
    yield content[cut + 10 :]


def crawling(content):
    """A byte now, and the rest never."""
    yield content[:1]
    yield None


def ask_git(root, line, headers, body, user=""):
    """What git says to a request for what is below *root*: status, headers, content. *line* is method, path and query."""
    method, path, query = line
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "uploadpack.allowAnySHA1InWant",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_CONFIG_KEY_1": "safe.directory",
        "GIT_CONFIG_VALUE_1": "*",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "REQUEST_METHOD": method,
        "CONTENT_TYPE": headers.get("content-type", ""),
        "GIT_PROTOCOL": headers.get("git-protocol", ""),
        "HTTP_CONTENT_ENCODING": headers.get("content-encoding", ""),
    }
    if user:
        environment["REMOTE_USER"] = user  # who may push
    done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=False)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    said = dict(each.split(": ", 1) for each in head.decode().splitlines() if ": " in each)
    return int(said.pop("Status", "200").split()[0]), said, content
