"""The product on the web port: not there before somebody asks, and whole from then on."""

import sys
from contextlib import asynccontextmanager

import pytest
from tests.access.places import BCRYPT, KEY, PASSWORD
from tests.web.api.yard import Counting
from tests.web.ports import opened

from plumbline.access.policy import Subject
from plumbline.apiserver.plane import Plane
from plumbline.base.clock import SystemClock
from plumbline.base.evaluator import Evaluator
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.composition.foundation import founded as composition_founded
from plumbline.delivery.foundation import founded
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.journal import sqlite
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger
from plumbline.secrets.foundation import founded as secrets_founded
from plumbline.source.charts import ChartSources
from plumbline.source.git import GitSources
from plumbline.source.repository import Repository
from plumbline.terraform.foundation import founded as terraform_founded
from plumbline.wiring.premises import Premises
from plumbline.wiring.product import Product

APPLICATIONS = GroupVersionResource("argoproj.io", "v1alpha1", "applications")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
SECRETS = GroupVersionResource("", "v1", "secrets")
FAMILIES = [
    "/api/v1/account", "/api/v1/applications", "/api/v1/changes", "/api/v1/claims", "/api/v1/clusters", "/api/v1/definitions",
    "/api/v1/projects", "/api/v1/repositories", "/api/v1/secrets", "/api/v1/terraforms", "/openapi.json",
]  # fmt: skip
ANYBODY = ["/api/v1/settings", "/api/v1/session/userinfo", "/api/version"]


async def nothing():
    return None


@asynccontextmanager
async def product(tmp_path, *, enforcing=True, trusted=()):
    clock, ids = SystemClock(), Ids(1)
    plane = Plane(clock, ids)
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal, Evaluator() as evaluator:
        transport = Counting(plane.transport())
        client = Client(transport, clock=clock, ids=ids)
        await founded(client, "argocd", clock)
        for more in (composition_founded, terraform_founded, secrets_founded):
            await more(client, clock)
        world = World(clock, ids, Metrics())
        gate = Gate(Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None), Live(journal), clock)
        made = Product(
            Premises(
                client=client,
                world=world,
                gate=gate,
                journal=journal,
                namespace="argocd",
                enforcing=lambda: enforcing,
                delivery=lambda: None,
                commits=GitSources(tmp_path / "git", world, lambda url, _: Repository(url)),
                charts=ChartSources(tmp_path / "charts", world, lambda url, _: Repository(url)),
                placed=lambda repository: repository,
                evaluator=evaluator,
                key_namespace="kube-system",
                trusted=trusted,
                certificate=nothing,
            )
        )
        async with opened(made) as port:
            port.client, port.product, port.transport = client, made, transport
            yield port


async def cookie(port):
    token = (await port.product.link()).reveal().decode()
    reply = await port.ask("GET", f"/auth/link?token={token}")
    assert (reply.status, reply.headers["location"]) == (303, "/")
    return {"Cookie": reply.headers["set-cookie"].partition(";")[0]}


async def test_who_comes_by_the_link_is_in_and_everything_answers(tmp_path):
    async with product(tmp_path) as port:
        known = await cookie(port)
        for path in (*FAMILIES, *ANYBODY):
            reply = await port.ask("GET", path, **known)
            assert reply.status == 200, (path, reply.body)
        assert (await port.ask("GET", "/api/v1/session/userinfo", **known)).json["username"] == "admin"


async def test_strangers_get_no_further_than_the_door(tmp_path):
    async with product(tmp_path) as port:
        for path in ANYBODY:
            assert (await port.ask("GET", path)).status == 200, path
        for path in (each for each in FAMILIES if each.startswith("/api/v1/")):
            assert (await port.ask("GET", path)).status == 401, path
        assert (await port.ask("GET", "/api/v1/live?topics=applications")).status == 401


async def test_a_link_opens_once(tmp_path):
    async with product(tmp_path) as port:
        token = (await port.product.link()).reveal().decode()
        assert (await port.ask("GET", f"/auth/link?token={token}")).status == 303
        assert (await port.ask("GET", f"/auth/link?token={token}")).status != 303


async def test_what_is_made_through_it_is_there_and_noted_under_the_persons_name(tmp_path):
    async with product(tmp_path) as port:
        known = await cookie(port)
        spec = {
            "project": "default",
            "source": {"repoURL": "https://git.example.org/shop", "path": ".", "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"},
        }
        body = {"metadata": {"name": "shop"}, "spec": spec}
        headers = {
            **known,
            "Content-Type": "application/json",
            "Origin": f"http://localhost:{port.web.port}",
            "Host": f"localhost:{port.web.port}",
        }
        made = await port.ask("POST", "/api/v1/applications", encode(body), **headers)
        assert made.status == 200, made.body
        await port.client.get(Target(APPLICATIONS, "argocd", "shop"))
        listed = (await port.ask("GET", "/api/v1/applications?q=shop", **known)).json
        assert [each["metadata"]["name"] for each in listed["items"]] == ["shop"]
        changes = (await port.ask("GET", "/api/v1/changes", **known)).json["items"]
        assert any(each["verb"] == "create" and each["actor"]["name"] == "admin" for each in changes)


async def test_a_policy_counts_as_soon_as_it_is_written_and_a_broken_one_changes_nothing(tmp_path):
    async with product(tmp_path) as port:
        entrance = (await port.product._inside()).entrance
        assert entrance.policy() is entrance.policy()
        before = entrance.policy()
        config = {
            "metadata": {"name": "argocd-rbac-cm"},
            "data": {"policy.csv": "p, ann, applications, get, */*, allow"},
        }
        await port.client.create(Target(CONFIG_MAPS, "argocd"), encode(config))
        while entrance.policy() is before:
            await SystemClock().sleep(0.01)
        good = entrance.policy()
        assert good.faults == ()
        broken = {"data": {"policy.csv": "p, ann"}}
        await port.client.patch(Target(CONFIG_MAPS, "argocd", "argocd-rbac-cm"), encode(broken), "merge")
        while entrance.policy() is good:
            await SystemClock().sleep(0.01)
        assert entrance.policy().allows(Subject("ann"), "applications", "get", "default/shop")


@pytest.mark.parametrize("name", ["plumbline.web.api.applications", "plumbline.access.oidc"])
def test_nobody_pays_for_it_before_the_first_request(name):
    import subprocess  # noqa: PLC0415 - another interpreter, which has loaded nothing yet

    code = f"import sys, plumbline.wiring; sys.exit({name!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


async def test_whoever_logs_in_where_we_only_observe_leaves_nothing_on_the_cluster(tmp_path):
    async with product(tmp_path, enforcing=False) as port:
        held = {"server.secretkey": KEY, "admin.password": BCRYPT, "admin.passwordMtime": "2026-01-01T00:00:00Z"}
        metadata = {"name": "argocd-secret", "labels": {"app.kubernetes.io/part-of": "argocd"}}
        await port.client.create(Target(SECRETS, "argocd"), encode({"metadata": metadata, "stringData": held}))
        port.transport.asked.clear()

        async def login(password):
            body = encode({"username": "admin", "password": password})
            return await port.ask("POST", "/api/v1/session", body, **{"Content-Type": "application/json"})

        assert (await login("wrong")).status == 401
        reply = await login(PASSWORD)
        assert reply.status == 200, reply.body
        bearer = {"Authorization": f"Bearer {reply.json['token']}", "Content-Type": "application/json"}
        assert (await port.ask("GET", "/api/v1/applications", **bearer)).status == 200
        made = await port.ask(
            "PUT",
            "/api/v1/account/password",
            encode({"currentPassword": PASSWORD, "newPassword": "Another-9-word"}),
            **bearer,
        )
        assert made.status in {400, 409, 500}, made.body
        assert (await port.ask("DELETE", "/api/v1/session", b"{}", **bearer)).status == 200
        assert (await port.ask("GET", "/api/v1/applications", **bearer)).status == 401
        assert {method for method, _ in port.transport.asked} <= {"GET"}


@pytest.mark.parametrize(("trusted", "secure"), [(("127.0.0.0/8",), True), ((), False)])
async def test_a_cookie_is_for_tls_alone_where_a_proxy_that_we_trust_says_that_there_is_some(tmp_path, trusted, secure):
    async with product(tmp_path, trusted=trusted) as port:
        token = (await port.product.link()).reveal().decode()
        reply = await port.ask("GET", f"/auth/link?token={token}", **{"X-Forwarded-Proto": "https"})
        assert ("; Secure" in reply.headers["set-cookie"]) is secure


async def test_there_is_news_of_every_room_and_of_nothing_else(tmp_path):
    async with product(tmp_path) as port:
        reply = await port.ask("GET", "/api/v1/live", **await cookie(port))
        assert reply.status == 400
        assert "application:NAME, applications, changes, claims, secrets, terraforms" in reply.json["message"]
