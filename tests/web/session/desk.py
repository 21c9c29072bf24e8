"""The parts about sessions as the web port serves them, asked without a socket."""

import contextlib
from typing import NamedTuple
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry
from tests.access.places import PASSWORD, house

from plumbline.base.json import decode, encode
from plumbline.journal.sqlite import in_memory
from plumbline.web.application import Application
from plumbline.web.routes import Routes
from plumbline.web.session import AccountPart, Askers, Logins, Peers, Record, SessionPart, SignOnPart

ORIGIN = "http://localhost"
OUTCOMES = ("success", "failure")


class Said(NamedTuple):
    allowed: bool
    line: str = "p, x"
    why: str = "because"


class Deciding:
    """Administrators may do everything, others what a test says."""

    def __init__(self):
        self.allowed = set()
        self.asked = []

    def decide(self, asker, resource, action, name):
        self.asked.append((asker.name, resource, action, name))
        mine = asker.local and asker.name == "admin"
        return Said(mine or (asker.name, resource, action, name) in self.allowed)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.body = status, body
        self.headers = {}
        self.cookies = {}
        self.flags = {}
        for name, value in headers:
            self.headers[name.decode()] = value.decode()
            if name == b"set-cookie":
                pair, *flags = value.decode().split("; ")
                key, _, kept = pair.partition("=")
                self.cookies[key] = kept
                self.flags[key] = flags

    @property
    def json(self):
        return decode(self.body)

    @property
    def text(self):
        return self.body.decode()


class Desk:
    def __init__(self, home, journal, trusted):
        self.home, self.journal, self.registry = home, journal, CollectorRegistry()
        self.decider = Deciding()
        realm = home.keeper
        self.askers = Askers(home.sessions, lambda: realm.realm, home.clock, Peers(trusted))
        record, logins = Record(journal, home.clock), Logins(self.registry)
        self.parts = (
            SessionPart(self.askers, record, lambda: realm.realm.accounts, logins),
            AccountPart(self.askers, home.keeper, self.decider, record, home.world),
            SignOnPart(self.askers, home.keeper, home.signon, record, logins),
        )
        self.application = Application(Routes(route for part in self.parts for route in part.routes), None)
        self.cookies = {}

    async def ask(self, method, target, body=None, *, peer="127.0.0.1", **headers):
        """As a program does; a body is JSON unless it is bytes."""
        raw = b"" if body is None else body if isinstance(body, bytes) else encode(body)
        named = {"host": "localhost", **{key.replace("_", "-").lower(): value for key, value in headers.items()}}
        if body is not None and not isinstance(body, bytes):
            named.setdefault("content-type", "application/json")
        where, sent = urlsplit(target), []
        scope = {
            "type": "http", "method": method, "path": where.path, "query_string": where.query.encode(), "client": (peer, 1),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in named.items()],
        }  # fmt: skip

        async def receive():
            return {"type": "http.request", "body": raw, "more_body": False}

        async def send(message):
            sent.append(message)

        await self.application(scope, receive, send)
        body = b"".join(each.get("body", b"") for each in sent[1:])
        return Answer(sent[0]["status"], sent[0]["headers"], body)

    def logins(self):
        """How many were counted, by what came of them."""
        found = {
            each: self.registry.get_sample_value("argocd_login_request_total", {"status": each}) for each in OUTCOMES
        }
        return {each: value for each, value in found.items() if value is not None}

    async def browse(self, method, target, body=None, **headers):
        """As a page of ours does: with cookies that it keeps, and the headers that browsers add."""
        if self.cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if method != "GET":
            headers = {"origin": ORIGIN, "content-type": "application/json", **headers}
        answer = await self.ask(method, target, body, **headers)
        for name, value in answer.cookies.items():
            if "Max-Age=0" in answer.flags[name]:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return answer

    async def login(self, name="admin", password=PASSWORD):
        answer = await self.browse("POST", "/api/v1/session", {"username": name, "password": password})
        assert answer.status == 200, answer.body
        return answer.json["token"]

    async def secret_of(self, name):
        return (await self.home.secret())[f"accounts.{name}.tokens"]

    async def entries(self):
        return (await self.journal.page()).entries


@contextlib.asynccontextmanager
async def desk(trusted=(), **settings):
    async with house(**settings) as home, in_memory(clock=home.clock, ids=home.ids) as journal:
        yield Desk(home, journal, trusted)
