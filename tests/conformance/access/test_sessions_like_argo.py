"""Sessions and accounts beside the real argocd-server: the same questions, the same answers, and tokens that both take."""

import asyncio
import base64
import contextlib
import http.client
import time

import pytest
from tests.access.places import PART_OF, House, until
from tests.conformance.argo import RealArgo, _free_ports, _wait_for
from tests.web.session.desk import Desk

from plumbline.access.limiter import Terms
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.journal.sqlite import in_memory
from plumbline.kube.client import Client, Connection

pytestmark = pytest.mark.conformance

# Of "correct horse", by bcrypt with the cost that Argo CD uses.
HASH = "$2b$10$6XJG1UJSa6TA0.RcnFrKN.ObOgCE/8lJkjhk9ApeejYkgHU7vUaLO"
PASSWORD = "correct horse"
SECRET = {
    "server.secretkey": "an-unguessable-key-of-32-bytes-or-more",
    "admin.password": HASH,
    "admin.passwordMtime": "2026-01-01T00:00:00Z",
    "accounts.alice.password": HASH,
    "accounts.off.password": HASH,
    "accounts.robot.tokens": '[{"id":"old","iat":1767225600},{"id":"older","iat":1767225500,"exp":1893456000}]',
}
CONFIG = {
    "accounts.alice": "login, apiKey", "accounts.robot": "apiKey", "accounts.off": "login", "accounts.off.enabled": "false",
    "users.session.duration": "90m",
}  # fmt: skip
POLICY = {"policy.csv": "p, alice, accounts, get, robot, allow\n"}


class Server(RealArgo):
    """Argo CD's API server."""

    def serve(self):
        redis, repo, self.port, metrics = _free_ports(4)
        self._install()
        for kind, name, body in (
            ("ConfigMap", "argocd-cm", {"data": CONFIG}),
            ("ConfigMap", "argocd-rbac-cm", {"data": POLICY}),
            ("Secret", "argocd-secret", {"stringData": SECRET}),
        ):
            obj = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "labels": PART_OF}, **body}
            self._cluster.kubectl(
                "-n", "argocd", "apply", "--server-side", "--force-conflicts", "-f", "-", stdin=encode(obj).decode()
            )
        self._spawn("redis", f"127.0.0.1:{redis}")
        _wait_for(redis)
        self._spawn(
            "argocd-server", "--kubeconfig", str(self._cluster.kubeconfig), "--namespace", "argocd", "--insecure",
            "--redis", f"127.0.0.1:{redis}", "--repo-server", f"127.0.0.1:{repo}", "--port", str(self.port),
            "--metrics-port", str(metrics), "--loglevel", "warn", "--address", "127.0.0.1", "--dex-server", "127.0.0.1:1",
        )  # fmt: skip
        _wait_for(self.port, 60)
        until_s = time.monotonic() + 60
        while self.ask("GET", "/healthz")[0] != 200:
            assert time.monotonic() < until_s
            time.sleep(0.2)

    def ask(self, method, target, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        named = {"content-type": "application/json", **{key.replace("_", "-"): value for key, value in headers.items()}}
        try:
            connection.request(method, target, None if body is None else encode(body), named)
            answer = connection.getresponse()
            raw = answer.read()
        except (TimeoutError, ConnectionError, http.client.HTTPException):
            return 0, None, ""
        finally:
            connection.close()
        try:
            return answer.status, decode(raw), answer.getheader("set-cookie") or ""
        except ValueError:
            return answer.status, raw.decode(), answer.getheader("set-cookie") or ""


@pytest.fixture
def argo(own_cluster, tmp_path):
    server = Server(own_cluster, tmp_path)
    try:
        server.serve()
        yield server
    finally:
        server.stop()


@contextlib.asynccontextmanager
async def ours(cluster):
    """Our parts on the same settings."""
    clock, ids = SystemClock(), Ids()
    async with (
        Client.connect(Connection.load(cluster.kubeconfig)) as client,
        in_memory(clock=clock, ids=ids) as journal,
        task_group() as group,
    ):
        home = House(client, clock, ids, {}, Terms(), "argocd")
        running = group.create_task(home.keeper.run())
        await home.keeper.synced()
        web = Desk(home, journal, ())
        web.decider.allowed.add(("alice", "accounts", "get", "robot"))
        yield web
        running.cancel()


QUESTIONS = [
    ("", "GET", "/api/v1/session/userinfo", None),
    ("", "GET", "/api/v1/account", None),
    ("", "POST", "/api/v1/session", {"username": "admin", "password": "wrong"}),
    ("", "POST", "/api/v1/session", {"username": "nobody", "password": "wrong"}),
    ("", "POST", "/api/v1/session", {"username": "off", "password": PASSWORD}),
    ("", "POST", "/api/v1/session", {"username": "robot", "password": PASSWORD}),
    ("", "POST", "/api/v1/session", {"username": "x" * 33, "password": PASSWORD}),
    ("", "POST", "/api/v1/session", {"username": "admin"}),
    ("", "POST", "/api/v1/session", {}),
    ("admin", "GET", "/api/v1/session/userinfo", None),
    ("alice", "GET", "/api/v1/session/userinfo", None),
    ("admin", "GET", "/api/v1/account", None),
    ("alice", "GET", "/api/v1/account", None),
    ("admin", "GET", "/api/v1/account/robot", None),
    ("admin", "GET", "/api/v1/account/off", None),
    ("alice", "GET", "/api/v1/account/alice", None),
    ("alice", "GET", "/api/v1/account/admin", None),
    ("alice", "GET", "/api/v1/account/nobody", None),
    ("admin", "GET", "/api/v1/account/nobody", None),
    ("alice", "DELETE", "/api/v1/account/robot/token/old", None),
    ("admin", "DELETE", "/api/v1/account/robot/token/nothing", None),
    ("alice", "POST", "/api/v1/account/robot/token", {}),
    ("alice", "PUT", "/api/v1/account/password", {"newPassword": "battery staple", "currentPassword": "wrong"}),
    (
        "alice",
        "PUT",
        "/api/v1/account/password",
        {"newPassword": "battery staple", "currentPassword": PASSWORD, "name": "admin"},
    ),
    ("admin", "GET", "/api/v1/account/can-i/pods/get/x", None),
    ("admin", "GET", "/api/v1/account/can-i/applications/eat/x", None),
    ("forged", "GET", "/api/v1/account", None),
]
EXACT = {200, 401}
"""Of other answers, status and code are the same; ours say more about what to do."""


def same(status, body, their_status, their_body):
    if status in EXACT and "nobody" not in str(body) and "session" not in str(body):
        return (status, body) == (their_status, their_body)
    return (status, body["code"]) == (their_status, their_body["code"])


async def test_the_same_questions_have_the_same_answers(argo, own_cluster):
    async with asyncio.timeout(120), ours(own_cluster) as web:
        held = {"": "", "forged": "eyJhbGciOiJub25lIn0.eyJpc3MiOiJhcmdvY2QiLCJzdWIiOiJhZG1pbjpsb2dpbiJ9."}
        for name in ("admin", "alice"):
            status, body, _ = argo.ask("POST", "/api/v1/session", {"username": name, "password": PASSWORD})
            assert status == 200, body
            held[name] = body["token"]
        different = []
        for who, method, target, body in QUESTIONS:
            header = {"authorization": f"Bearer {held[who]}"} if held[who] else {}
            theirs = argo.ask(method, target, body, **header)
            mine = await web.ask(method, target, body, **header)
            if not same(mine.status, mine.json, *theirs[:2]):
                different.append((who, method, target, (mine.status, mine.json), theirs[:2]))
        assert different == []


async def test_each_takes_the_tokens_of_the_other(argo, own_cluster):
    async with asyncio.timeout(120), ours(own_cluster) as web:
        me = {"loggedIn": True, "username": "alice", "iss": "argocd"}
        theirs = argo.ask("POST", "/api/v1/session", {"username": "alice", "password": PASSWORD})[1]["token"]
        assert (await web.ask("GET", "/api/v1/session/userinfo", authorization=f"Bearer {theirs}")).json == me
        mine = (await web.ask("POST", "/api/v1/session", {"username": "alice", "password": PASSWORD})).json["token"]
        assert argo.ask("GET", "/api/v1/session/userinfo", authorization=f"Bearer {mine}")[1] == me
        assert argo.ask("GET", "/api/v1/session/userinfo", cookie=f"argocd.token={mine}")[1] == me
        assert _claims(mine).keys() == _claims(theirs).keys()
        assert _life(mine) == _life(theirs) == 5400


async def test_each_takes_and_removes_the_api_tokens_of_the_other(argo, own_cluster):
    async with asyncio.timeout(120), ours(own_cluster) as web:
        login = argo.ask("POST", "/api/v1/session", {"username": "admin", "password": PASSWORD})[1]["token"]
        admin = {"authorization": f"Bearer {login}"}
        theirs = argo.ask("POST", "/api/v1/account/robot/token", {"id": "theirs", "expiresIn": 600}, **admin)[1][
            "token"
        ]
        mine = (await web.ask("POST", "/api/v1/account/robot/token", {"id": "mine", "expiresIn": 600}, **admin)).json[
            "token"
        ]
        await until(lambda: web.home.keeper.realm.accounts["robot"].token("theirs"))
        for token in (theirs, mine):
            bearer = {"authorization": f"Bearer {token}"}
            assert (await web.ask("GET", "/api/v1/account/robot", **bearer)).status == 200
            await _until_told(argo, 200, bearer)
        assert (await web.ask("DELETE", "/api/v1/account/robot/token/theirs", **admin)).status == 200
        assert argo.ask("DELETE", "/api/v1/account/robot/token/mine", **admin)[0] == 200
        await until(lambda: not web.home.keeper.realm.accounts["robot"].token("mine"))
        for token in (theirs, mine):
            bearer = {"authorization": f"Bearer {token}"}
            assert (await web.ask("GET", "/api/v1/account/robot", **bearer)).status == 401
            await _until_told(argo, 401, bearer)


async def test_a_password_that_argo_cd_sets_is_taken_and_one_of_ours_is_not_read_there(argo, own_cluster):
    async with asyncio.timeout(120), ours(own_cluster) as web:
        login = argo.ask("POST", "/api/v1/session", {"username": "alice", "password": PASSWORD})[1]["token"]
        changed = {"newPassword": "battery staple", "currentPassword": PASSWORD}
        assert argo.ask("PUT", "/api/v1/account/password", changed, authorization=f"Bearer {login}")[0] == 200
        before = web.home.keeper.realm.accounts["alice"].password
        await until(lambda: web.home.keeper.realm.accounts["alice"].password != before)
        mine = await web.ask("POST", "/api/v1/session", {"username": "alice", "password": "battery staple"})
        assert mine.status == 200
        assert (await web.ask("GET", "/api/v1/account", authorization=f"Bearer {login}")).status == 401
        bearer = {"authorization": f"Bearer {mine.json['token']}"}
        back = {"newPassword": "another staple", "currentPassword": "battery staple"}
        assert (await web.ask("PUT", "/api/v1/account/password", back, **bearer)).status == 200
        given = {"username": "alice", "password": "another staple"}
        assert (await web.ask("POST", "/api/v1/session", given)).status == 200
        assert argo.ask("POST", "/api/v1/session", given)[0] == 401, "it knows bcrypt alone"


async def _until_told(argo, status, bearer):
    """Argo CD hears of changes a moment later."""
    for _ in range(100):
        if argo.ask("GET", "/api/v1/account/robot", **bearer)[0] == status:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"never {status}")


def _claims(token):
    return decode(base64.urlsafe_b64decode(token.split(".")[1] + "=="))


def _life(token):
    claims = _claims(token)
    return claims["exp"] - claims["iat"]
