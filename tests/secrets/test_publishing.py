"""Where kubeseal finds us: what is made on a cluster, and whose it stays."""

from contextlib import asynccontextmanager

import pytest

from plumbline.access.identity import Identity
from plumbline.apiserver.plane import Plane
from plumbline.base.clock import SystemClock
from plumbline.base.errors import Forbidden, InvalidInput, NotFound, ServerFault
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Request, Target
from plumbline.secrets.publishing import (
    BINDINGS,
    ROLES,
    SERVICES,
    SLICES,
    Outside,
    Place,
    Pods,
    manifests,
    outside,
    published,
)

SERVICE = Target(SERVICES, "kube-system", "sealed-secrets-controller")
ROLE = Target(ROLES, "kube-system", "sealed-secrets-service-proxier")
BINDING = Target(BINDINGS, "kube-system", "sealed-secrets-service-proxier")
SLICE = Target(SLICES, "kube-system", "sealed-secrets-controller-plumbline")


@asynccontextmanager
async def cluster():
    plane = Plane(SystemClock(), Ids(7))
    async with plane.running():
        yield plane, Client(plane.transport())


async def seen(client, target):
    return decode(await client.get(target))


async def test_a_service_and_the_right_to_ask_through_it_are_made_once():
    async with cluster() as (plane, client):
        assert await published(client) == ()
        revision = plane.store.revision
        assert await published(client) == ()
        assert plane.store.revision == revision
        service, role, binding = [await seen(client, each) for each in (SERVICE, ROLE, BINDING)]
    assert service["spec"]["ports"] == [{"name": "http", "port": 8080, "protocol": "TCP", "targetPort": 8080}]
    assert "selector" not in service["spec"]
    names = ["http:sealed-secrets-controller:", "http:sealed-secrets-controller:http", "sealed-secrets-controller"]
    assert role["rules"] == [
        {
            "apiGroups": [""],
            "resources": ["services"],
            "resourceNames": ["sealed-secrets-controller"],
            "verbs": ["get"],
        },
        {"apiGroups": [""], "resources": ["services/proxy"], "resourceNames": names, "verbs": ["create", "get"]},
    ]
    assert [subject["name"] for subject in binding["subjects"]] == ["system:authenticated"]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]


async def test_everybody_who_is_known_may_ask_us_and_nothing_else():
    async with cluster() as (plane, admin):
        await published(admin)
        somebody = Client(plane.transport(Identity("jane", groups=("system:authenticated",))))
        assert (await seen(somebody, SERVICE))["metadata"]["name"] == "sealed-secrets-controller"
        proxy = f"{Target(SERVICES, 'kube-system').path}/http:sealed-secrets-controller:http/proxy"
        for method, path in (("GET", "/v1/cert.pem"), ("POST", "/v1/verify")):
            with pytest.raises(ServerFault):
                await somebody.send(Request(method, f"{proxy}{path}", "", ()))
        for refused in (
            Request("DELETE", f"{proxy}/v1/cert.pem", "", ()),
            Request("GET", f"{Target(SERVICES, 'kube-system').path}/kube-dns:dns/proxy/", "", ()),
            Request("GET", Target(SERVICES, "kube-system").path, "", ()),
        ):
            with pytest.raises(Forbidden):
                await somebody.send(refused)


async def test_pods_are_found_by_their_labels():
    async with cluster() as (_, client):
        await published(client, behind=Pods({"app": "plumbline"}, 9000))
        spec = (await seen(client, SERVICE))["spec"]
        with pytest.raises(NotFound):
            await client.get(SLICE)
    assert spec["selector"] == {"app": "plumbline"}
    assert spec["ports"][0]["targetPort"] == 9000


async def test_an_address_outside_is_followed_when_it_changes_and_given_up_when_it_is_no_more():
    async with cluster() as (_, client):
        await published(client, behind=Pods({"app": "plumbline"}, 8080))
        await published(client, behind=Outside("10.0.0.5", 9000))
        first, service = await seen(client, SLICE), await seen(client, SERVICE)
        await published(client, behind=Outside("10.0.0.6", 9001))
        second = await seen(client, SLICE)
        await published(client)
        with pytest.raises(NotFound):
            await client.get(SLICE)
    assert "selector" not in service["spec"]
    assert [endpoint["addresses"] for endpoint in first["endpoints"]] == [["10.0.0.5"]]
    assert [endpoint["addresses"] for endpoint in second["endpoints"]] == [["10.0.0.6"]]
    assert second["ports"] == [{"name": "http", "port": 9001, "protocol": "TCP"}]
    assert second["metadata"]["labels"]["kubernetes.io/service-name"] == "sealed-secrets-controller"


async def test_what_somebody_else_made_stays_as_it_is():
    async with cluster() as (plane, client):
        others = manifests(behind=Outside("10.0.0.5", 9000))
        for target in (SERVICE, ROLE, SLICE):
            others[target]["metadata"]["labels"].pop("app.kubernetes.io/managed-by")
            await client.create(target.collection, encode(others[target]))
        left = await published(client, behind=Outside("10.0.0.6", 9001))
        revision = plane.store.revision
        await published(client)
        assert plane.store.revision == revision
        assert (await seen(client, SLICE))["ports"][0]["port"] == 9000
    assert left == (SERVICE, ROLE, SLICE)


@pytest.mark.parametrize(
    ("text", "found"), [("10.0.0.5:8080", Outside("10.0.0.5", 8080)), ("[2001:DB8::1]:80", Outside("2001:db8::1", 80))]
)
def test_an_address_is_read_as_people_write_it(text, found):
    assert outside(text) == found
    made = manifests(Place("shop", "seal"), found)[Target(SLICES, "shop", "seal-plumbline")]
    assert made["addressType"] == ("IPv6" if ":" in found.ip else "IPv4")


@pytest.mark.parametrize(
    "text",
    ["", "10.0.0.5", "10.0.0.5:", "10.0.0.5:0", "10.0.0.5:65536", "host:80", "127.0.0.1:80", "0.0.0.0:80", "169.254.169.254:80", "224.0.0.1:80", "[::1]:80"],
)  # fmt: skip
def test_what_leads_nobody_here_is_refused(text):
    with pytest.raises(InvalidInput):
        outside(text)
