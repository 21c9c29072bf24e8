"""Ways in: certificates, tokens, plugins; and what there is to find inside."""

import base64
from contextlib import aclosing

import pytest

from plumbline.base.errors import Forbidden, ToolMissing, Unauthenticated, UnknownKind, Unreachable
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Connection, Target, Trust
from plumbline.kube.client.discovered import ACCEPT
from plumbline.kube.client.transport import Request
from plumbline.kube.names import GroupKind, GroupVersionKind, GroupVersionResource

pytestmark = pytest.mark.conformance

NAMESPACES = Target(GroupVersionResource("", "v1", "namespaces"))
ACCOUNTS = GroupVersionResource("", "v1", "serviceaccounts")
CRDS = Target(GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions"))
REVIEWS = Target(GroupVersionResource("authentication.k8s.io", "v1", "selfsubjectreviews"))
REVIEW = encode({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})
EXEC_V1 = "client.authentication.k8s.io/v1"


def kubeconfig(cluster, user, **more):
    authority = base64.b64encode(cluster.ca.read_bytes()).decode()
    place = {"server": cluster.url, "certificate-authority-data": authority} | more
    return encode(
        {
            "current-context": "c",
            "clusters": [{"name": "k", "cluster": place}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        }
    )


async def who(cluster, user, **more):
    async with Client.connect(Connection.parse(kubeconfig(cluster, user, **more), "a test", trust=Trust())) as client:
        return decode(await client.create(REVIEWS, REVIEW))["status"]["userInfo"]["username"]


@pytest.fixture
async def admin(real_cluster):
    async with Client.connect(Connection.load(real_cluster.kubeconfig)) as client:
        yield client


async def test_certificates_as_files_and_as_data(real_cluster):
    files = {"client-certificate": str(real_cluster.certificate), "client-key": str(real_cluster.key)}
    assert await who(real_cluster, files) == "admin"
    inline = {
        "client-certificate-data": base64.b64encode(real_cluster.certificate.read_bytes()).decode(),
        "client-key-data": base64.b64encode(real_cluster.key.read_bytes()).decode(),
    }
    assert await who(real_cluster, inline) == "admin"
    assert await who(real_cluster, inline, **{"tls-server-name": "kubernetes.default.svc"}) == "admin"


async def test_nobody_is_anonymous_and_a_wrong_token_is_refused(real_cluster):
    with pytest.raises(Forbidden, match="system:anonymous"):
        await who(real_cluster, {})
    with pytest.raises(Unauthenticated):
        await who(real_cluster, {"token": "nonsense"})


async def test_a_server_of_another_name_is_not_talked_to(real_cluster):
    with pytest.raises(Unreachable):
        await who(real_cluster, {"token": "x"}, **{"tls-server-name": "other.example"})


async def token_of(admin, namespace):
    account = encode({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}})
    await admin.create(Target(ACCOUNTS, namespace), account)
    asked = encode({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    answer = await admin.create(Target(ACCOUNTS, namespace, "robot", "token"), asked)
    return decode(answer)["status"]["token"]


async def test_tokens_that_the_server_gave_out(real_cluster, admin, namespace, tmp_path):
    token = await token_of(admin, namespace)
    robot = f"system:serviceaccount:{namespace}:robot"
    assert await who(real_cluster, {"token": token}) == robot
    (tmp_path / "token").write_text(f"{token}\n")
    assert await who(real_cluster, {"tokenFile": str(tmp_path / "token")}) == robot


async def test_a_token_file_that_is_replaced_is_picked_up_when_refused(real_cluster, admin, namespace, tmp_path):
    path = tmp_path / "token"
    path.write_text("stale")
    connection = Connection.parse(kubeconfig(real_cluster, {"tokenFile": str(path)}), "a test", trust=Trust())
    async with Client.connect(connection) as client:
        with pytest.raises(Unauthenticated):
            await client.create(REVIEWS, REVIEW)
        path.write_text(await token_of(admin, namespace))
        got = decode(await client.create(REVIEWS, REVIEW))
    assert got["status"]["userInfo"]["username"].endswith(":robot")


async def test_a_pod_speaks_as_its_account(real_cluster, admin, namespace, tmp_path):
    (tmp_path / "token").write_text(await token_of(admin, namespace))
    (tmp_path / "ca.crt").write_bytes(real_cluster.ca.read_bytes())
    (tmp_path / "namespace").write_text(namespace)
    host, port = real_cluster.url.removeprefix("https://").split(":")
    variables = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port}
    connection = Connection.in_cluster(environment=variables, folder=tmp_path)
    async with Client.connect(connection) as client:
        got = decode(await client.create(REVIEWS, REVIEW))
    assert got["status"]["userInfo"]["username"] == f"system:serviceaccount:{namespace}:robot"
    assert connection.namespace == namespace


def plugin(tmp_path, status, **more):
    script = tmp_path / "login"
    printed = encode({"apiVersion": EXEC_V1, "kind": "ExecCredential", "status": status}).decode()
    (tmp_path / "printed").write_text(printed)
    script.write_text(f'#!/bin/sh\necho ran >> "{tmp_path}/runs"\ncat "{tmp_path}/printed"\n')
    script.chmod(0o700)
    return {"exec": {"apiVersion": EXEC_V1, "command": str(script), "interactiveMode": "Never"} | more}


async def test_a_plugin_that_prints_a_certificate(real_cluster, tmp_path):
    status = {
        "clientCertificateData": real_cluster.certificate.read_text(),
        "clientKeyData": real_cluster.key.read_text(),
    }
    assert await who(real_cluster, plugin(tmp_path, status)) == "admin"


async def test_a_plugin_that_prints_a_token_is_run_once_for_many(real_cluster, admin, namespace, tmp_path):
    status = {"token": await token_of(admin, namespace), "expirationTimestamp": "2100-01-01T00:00:00Z"}
    text = kubeconfig(real_cluster, plugin(tmp_path, status))
    async with Client.connect(Connection.parse(text, "a test", trust=Trust())) as client:
        for _ in range(3):
            await client.create(REVIEWS, REVIEW)
    assert (tmp_path / "runs").read_text().splitlines() == ["ran"]


async def test_a_plugin_that_is_missing_says_how_to_get_it(real_cluster):
    absent = {"apiVersion": EXEC_V1, "command": "no-such-login", "interactiveMode": "Never", "installHint": "get it"}
    with pytest.raises(ToolMissing) as caught:
        await who(real_cluster, {"exec": absent})
    assert caught.value.hint == "get it"


async def test_discovery_finds_what_kubectl_finds(real_cluster, admin):
    catalog = await admin.discovery.catalog()
    said = real_cluster.kubectl("api-resources", "--no-headers", "-o", "name")
    assert {str(resource.gvr) for resource in catalog.resources} >= set(said.out.split())
    deploy = await admin.discovery.resource("deploy")
    assert (deploy.gvk, deploy.namespaced) == (GroupVersionKind("apps", "v1", "Deployment"), True)
    assert {"scale", "status"} <= deploy.subresources
    assert (await admin.discovery.resource(GroupKind("autoscaling", "HorizontalPodAutoscaler"))).version == "v2"
    assert not (await admin.discovery.resource("ns")).namespaced


class Unaggregated:
    """The same server as it was before it could aggregate."""

    def __init__(self, transport):
        self.transport = transport

    async def send(self, request):
        headers = tuple((name, "application/json" if value == ACCEPT else value) for name, value in request.headers)
        return await self.transport.send(
            Request(request.method, request.path, request.query, headers, request.body, reply_limit_bytes=1 << 26)
        )

    async def close(self):
        pass


async def test_both_forms_of_discovery_say_the_same(admin):
    older = Client(Unaggregated(admin._caller.transport))
    new, old = await admin.discovery.catalog(), await older.discovery.catalog()
    assert {resource.gvr: resource for resource in new.resources} == {
        resource.gvr: resource for resource in old.resources
    }
    # Groups that other tests have defined were seen in another order in each form; those of the server itself never.
    defined = {decode(bytes(each))["spec"]["group"] for each in (await admin.list(CRDS)).items}
    first, second = (
        [resource.gvr.group for resource in found.resources if resource.gvr.group not in defined]
        for found in (new, old)
    )
    assert first == second


async def test_a_kind_that_was_just_defined_is_found(admin):
    with pytest.raises(UnknownKind):
        await admin.discovery.resource(GroupKind("client.example", "Gadget"))
    schema = {"openAPIV3Schema": {"type": "object"}}
    spec = {
        "group": "client.example",
        "scope": "Cluster",
        "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "shortNames": ["gd"]},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
    }
    meta = {"name": "gadgets.client.example"}
    body = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": meta, "spec": spec}
    await admin.create(CRDS, encode(body))
    async with aclosing(admin.watch(CRDS._replace(name="gadgets.client.example"), initial=True)) as events:
        async for event in events:
            conditions = (decode(event.raw).get("status") or {}).get("conditions") or ()
            if any(each["type"] == "Established" and each["status"] == "True" for each in conditions):
                break
    for _ in range(100):
        # Established comes a moment before the description of the group does.
        admin.discovery.forget()
        if (await admin.discovery.catalog()).by_name("gd"):
            break
    found = await admin.discovery.resource("gd")
    gadget = encode({"apiVersion": "client.example/v1", "kind": "Gadget", "metadata": {"name": "g"}})
    made = await admin.create(found.target(), gadget)
    (listed,) = (await admin.list(found.target())).items
    assert made.rstrip() == listed
