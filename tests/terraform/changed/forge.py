"""A small forge: comments on pull requests as GitHub, GitLab, Gitea and Bitbucket serve them, on loopback."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from plumbline.base.json import decode, encode

TOKEN = "canary-token-71aa"
PATHS = {
    "github": r"/repos/o/r/issues/7/comments|/repos/o/r/issues/comments/(?P<id>\d+)",
    "gitea": r"/repos/o/r/issues/7/comments|/repos/o/r/issues/comments/(?P<id>\d+)",
    "gitlab": r"/projects/o%2Fr/merge_requests/7/notes(?:/(?P<id>\d+))?",
    "bitbucket": r"/repositories/o/r/pullrequests/7/comments(?:/(?P<id>\d+))?",
}
HEADERS = {
    "github": ("Authorization", f"Bearer {TOKEN}"),
    "gitea": ("Authorization", f"token {TOKEN}"),
    "gitlab": ("PRIVATE-TOKEN", TOKEN),
    "bitbucket": ("Authorization", f"Bearer {TOKEN}"),
}
CHANGING = {"github": "PATCH", "gitea": "PATCH", "gitlab": "PUT", "bitbucket": "PUT"}
ME = "1"


class Forge:
    """`comments` are (id, author, body) in order; `requests` is what was asked. `tells` is whether it says who we are."""

    def __init__(self, kind, *, tells=True):
        self.kind, self.tells, self.comments, self.requests, self.status = kind, tells, [], [], 0
        forge = self

        class Handler(BaseHTTPRequestHandler):
            def _serve(self):
                content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, answer = forge.answered(self.command, self.path, dict(self.headers), content)
                reply = answer if isinstance(answer, bytes) else encode(answer)
                self.send_response(status)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_):
                pass

        for method in ("GET", "POST", "PATCH", "PUT"):
            setattr(Handler, f"do_{method}", Handler._serve)
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

    def plant(self, body, author="2"):
        self.comments.append((str(len(self.comments) + 1), author, body))

    def answered(self, method, path, headers, content):
        bare, _, query = path.partition("?")
        self.requests.append((method, path))
        name, expected = HEADERS[self.kind]
        if headers.get(name) != expected:
            return 401, {}
        if self.status:
            return self.status, b"<html>"
        if bare == "/user":
            return (200, {"id": int(ME), "uuid": ME}) if self.tells else (403, {})
        match = re.fullmatch(PATHS[self.kind], bare)
        if match is None:
            return 404, {}
        if method == "GET":
            page = int(dict(part.split("=") for part in query.split("&")).get("page", 1)) if query else 1
            chosen = self.comments[100 * page - 100 : 100 * page] if query else self.comments
            listed = [self._spelled(*each) for each in chosen]
            return 200, {"values": listed} if self.kind == "bitbucket" else listed
        body = decode(content)["content"]["raw"] if self.kind == "bitbucket" else decode(content)["body"]
        if method == "POST":
            self.plant(body, ME)
            return 201, self._spelled(*self.comments[-1])
        if method != CHANGING[self.kind]:
            return 405, {}
        at = int(match["id"]) - 1
        self.comments[at] = (match["id"], self.comments[at][1], body)
        return 200, self._spelled(*self.comments[at])

    def _spelled(self, id_, author, body):
        kind = "Bot" if author == ME else "User"
        person = {
            "id": int(author),
            "uuid": author,
            "type": kind if self.kind != "bitbucket" else kind.replace("Bot", "app_user"),
        }
        who = "author" if self.kind == "gitlab" else "user"
        text = {"content": {"raw": body}} if self.kind == "bitbucket" else {"body": body}
        return {"id": int(id_), who: person, **text}
