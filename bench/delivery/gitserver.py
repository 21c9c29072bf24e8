"""A folder of Git repositories over smart HTTP, through git's own backend: `gitserver.py FOLDER` prints its port and serves.

A process of its own, so that neither clones nor the forks that they take are in the way of whoever measures.
"""

import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Backend(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer in two parts waits 40 ms for the first to be acknowledged
    root = ""

    def do_GET(self):
        self._answer(b"")

    def do_POST(self):
        self._answer(self._body())

    def log_message(self, *_):
        pass

    def _body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = []
        while size := int(self.rfile.readline().strip() or b"0", 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def _answer(self, body):
        path, _, query = self.path.partition("?")
        variables = {
            "GIT_PROJECT_ROOT": self.root,
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        done = subprocess.run(
            ["git", "http-backend"], input=body, env=os.environ | variables, capture_output=True, check=False
        )
        head, _, out = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)


def main():
    Backend.root = sys.argv[1]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
