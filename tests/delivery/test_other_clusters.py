"""Applications go to other clusters, which Secrets describe, through one client each."""

import asyncio
import base64
import time

import pytest

from plumbline.apiserver.hosting import hosted
from plumbline.apiserver.plane import Plane
from plumbline.base.clock import SystemClock
from plumbline.base.documents import load_document
from plumbline.base.errors import Transient
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.delivery.destinations import Destinations
from plumbline.delivery.live import Extent
from plumbline.delivery.settings.clusters import IN_CLUSTER_SERVER, Clusters
from plumbline.delivery.settings.connections import allowing
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.appproject import ApplicationDestination
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource, Ref
from plumbline.ownership.learn.tracking import Tracking

from .founding import founded
from .town import config_map, on_plane

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")


def cluster_secret(there, *, name="edge", **changed):
    kubeconfig = load_document(there.kubeconfig.read_bytes()).value
    cluster, user = kubeconfig["clusters"][0]["cluster"], kubeconfig["users"][0]["user"]
    tls = {
        "caData": cluster["certificate-authority-data"],
        "certData": user["client-certificate-data"],
        "keyData": user["client-key-data"],
    }
    values = {"name": name, "server": there.url, "config": encode({"tlsClientConfig": tls}).decode(), **changed}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": f"cluster-{name}", "labels": {"argocd.argoproj.io/secret-type": "cluster"}},
        "data": {key: base64.b64encode(value.encode()).decode() for key, value in values.items()},
    }


async def eventually(found):
    async with asyncio.timeout(30):
        while not (answer := await found()):  # noqa: ASYNC110 - a real server on real time
            await asyncio.sleep(0.05)
    return answer


async def test_an_application_is_delivered_to_the_cluster_that_it_names(tmp_path):
    clock, ids = SystemClock(), Ids(3)
    here = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    async with (
        hosted(tmp_path / "edge", 0, clock, Ids(4)) as edge,
        here.running(),
        on_plane(here, clock, ids, files={"web/a.yaml": config_map("a")}) as town,
    ):
        there = Client(edge.plane.transport())
        await there.create(
            Target(GroupVersionResource("", "v1", "namespaces")),
            encode({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}),
        )
        await town.deploy(destination={"name": "edge", "namespace": "shop"})

        async def refused():
            found = (await town.app()).get("status", {}).get("conditions", [])
            return [each for each in found if "there are no clusters with this name: edge" in each["message"]]

        await eventually(refused)
        await town.create("v1/secrets", cluster_secret(edge), "argocd")

        async def delivered():
            status = (await town.app()).get("status", {})
            return status.get("sync", {}).get("status") == "Synced" and not status.get("conditions")

        await eventually(delivered)
        live = decode(await there.get(Target(CONFIG_MAPS, "shop", "a")))
        assert live["data"] == {"value": "1"}
        assert await town.get("v1/configmaps", "a") is None

        await there.patch(Target(CONFIG_MAPS, "shop", "a"), encode({"data": {"value": "drifted"}}), "merge")

        async def healed():
            return decode(await there.get(Target(CONFIG_MAPS, "shop", "a")))["data"] == {"value": "1"}

        await eventually(healed)

        note = {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "2026-01-31T12:00:00Z"}}}
        await town.patch("v1/secrets", "cluster-edge", note, "argocd")
        await there.delete(Target(CONFIG_MAPS, "shop", "a"))

        async def back():
            return (await there.list(Target(CONFIG_MAPS, "shop"))).items

        assert await eventually(back), "what is read anew is looked after as before"


async def test_what_is_left_out_on_one_cluster_is_delivered_once_the_application_goes_to_another(tmp_path):
    clock, ids = SystemClock(), Ids(3)
    here = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    async with (
        hosted(tmp_path / "edge", 0, clock, Ids(4)) as edge,
        here.running(),
        on_plane(here, clock, ids, files={"web/a.yaml": config_map("a")}) as town,
    ):
        there = Client(edge.plane.transport())
        await with_namespace(there)
        excluded = '[{kinds: [ConfigMap], apiGroups: [""], clusters: ["https://kubernetes.default.svc"]}]'
        config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm"}}
        await town.create("v1/configmaps", {**config, "data": {"resource.exclusions": excluded}}, "argocd")
        await town.create("v1/secrets", cluster_secret(edge), "argocd")
        await town.deploy()

        async def left_out():
            return [
                each for each in await messages(town) if each == "Resource /ConfigMap a is excluded in the settings"
            ]

        await eventually(left_out)
        elsewhere = {"spec": {"destination": {"server": edge.url}}}
        await town.patch("argoproj.io/v1alpha1/applications", "web", elsewhere, "argocd")

        async def delivered():
            return [each for each in (await there.list(Target(CONFIG_MAPS, "shop"))).items if b'"name":"a"' in each]

        assert await eventually(delivered)


@pytest.mark.parametrize("refused", [True, False])
async def test_a_cluster_that_is_none_of_ours_any_more_is_left_alone(tmp_path, refused):
    clock, ids = SystemClock(), Ids(3)
    here = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    async with (
        hosted(tmp_path / "edge", 0, clock, Ids(4)) as edge,
        here.running(),
        on_plane(here, clock, ids, files={"web/a.yaml": config_map("a")}) as town,
    ):
        there = Client(edge.plane.transport())
        await with_namespace(there)
        secret = cluster_secret(edge)
        await town.create("v1/secrets", secret, "argocd")
        await town.deploy(destination={"name": "edge", "namespace": "shop"})

        async def delivered():
            return (await town.app()).get("status", {}).get("sync", {}).get("status") == "Synced"

        await eventually(delivered)
        if refused:
            unsafe = encode({"tlsClientConfig": {"insecure": True}}).decode()
            await town.patch("v1/secrets", "cluster-edge", {"stringData": {"config": unsafe}}, "argocd")
        else:
            await town.delete("v1/secrets", "cluster-edge", "argocd")

        async def left():
            return not town.delivery.destinations.opened()

        await eventually(left)
        await there.delete(Target(CONFIG_MAPS, "shop", "a"))
        if refused:
            await town.delete("v1/secrets", "cluster-edge", "argocd")
        await town.create("v1/secrets", secret, "argocd")

        async def back():
            return [each for each in (await there.list(Target(CONFIG_MAPS, "shop"))).items if b'"name":"a"' in each]

        assert await eventually(back), "what is ours again is looked after as before"


async def test_of_a_cluster_with_namespaces_nothing_else_is_looked_at_or_delivered_to(tmp_path):
    clock, ids = SystemClock(), Ids(3)
    here = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}, "rules": []}
    files = {
        "web/a.yaml": config_map("a"),
        "astray/a.yaml": config_map("a").replace("name: a", "name: a\n  namespace: other"),
        "above/r.yaml": encode(role).decode(),
    }
    async with (
        hosted(tmp_path / "edge", 0, clock, Ids(4)) as edge,
        here.running(),
        on_plane(here, clock, ids, files=files) as town,
    ):
        there = Client(edge.plane.transport())
        for name in ("shop", "other"):
            await there.create(
                Target(GroupVersionResource("", "v1", "namespaces")),
                encode({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
            )
        await town.create("v1/secrets", cluster_secret(edge, namespaces="shop, spare"), "argocd")
        for name in ("web", "astray", "above"):
            await town.deploy(name, destination={"name": "edge", "namespace": "shop"})

        async def told(name, words):
            status = (await town.app(name)).get("status", {})
            return [each for each in status.get("conditions", []) if words in each["message"]]

        async def delivered():
            return (await town.app()).get("status", {}).get("sync", {}).get("status") == "Synced"

        await eventually(delivered)
        await eventually(lambda: told("astray", 'Namespace "other" for ConfigMap "a" is not managed'))
        await eventually(lambda: told("above", 'Cluster level ClusterRole "r" can not be managed'))
        (destination,) = town.delivery.destinations.opened()
        assert {each.informer.target.namespace for each in destination.live.collections} == {"shop", "spare"}

        await there.patch(Target(CONFIG_MAPS, "shop", "a"), encode({"data": {"value": "drifted"}}), "merge")

        async def healed():
            return decode(await there.get(Target(CONFIG_MAPS, "shop", "a")))["data"] == {"value": "1"}

        await eventually(healed)


async def test_who_waits_for_a_connection_that_is_not_made_any_more_is_told_so():
    methods = ["annotation"]
    world, cluster = World(SystemClock(), Ids(3), Metrics()), ApplicationDestination(server=IN_CLUSTER_SERVER)
    tracking = lambda: Tracking(method=methods[-1])  # noqa: E731 - it is asked again and again
    destinations = Destinations(None, lambda: Clusters.of(()), tracking, world)
    running = asyncio.create_task(destinations.run())
    await asyncio.sleep(0)
    found = asyncio.create_task(destinations.find(cluster))
    await asyncio.sleep(0)
    methods.append("label")
    destinations.reconfigured()
    with pytest.raises(Transient):
        await asyncio.wait_for(found, 5)
    assert await destinations.find(cluster)
    running.cancel()


def test_what_is_outside_of_namespaces_is_looked_at_where_a_cluster_says_so():
    some, more = Extent(("a", "b")), Extent(("a",), outside=True)
    assert (some.places(namespaced=True), some.places(namespaced=False)) == (("a", "b"), ())
    assert (more.places(namespaced=True), more.places(namespaced=False)) == (("a",), ("",))
    assert Extent().places(namespaced=True) == ("",)
    assert not more.refusal(Ref("", "Namespace", "", "x"))
    assert not some.refusal(Ref("", "Pod", "b", "x"))


async def test_a_cluster_that_cannot_be_trusted_is_refused_with_the_reason(tmp_path):
    clock, ids = SystemClock(), Ids(3)
    here = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    async with (
        hosted(tmp_path / "edge", 0, clock, Ids(4)) as edge,
        here.running(),
        on_plane(here, clock, ids, files={"web/a.yaml": config_map("a")}) as town,
    ):
        unsafe = encode({"tlsClientConfig": {"insecure": True}}).decode()
        await town.create("v1/secrets", cluster_secret(edge, config=unsafe), "argocd")
        await town.deploy(destination={"server": edge.url, "namespace": "shop"})

        async def refused():
            found = (await town.app()).get("status", {}).get("conditions", [])
            return [each["message"] for each in found if each["type"] == "InvalidSpecError"]

        (message,) = await eventually(refused)
        assert "is not used" in message


def logging_in_with(command, there, **env):
    """A cluster Secret that has nothing but the authority, and the name of a command."""
    kubeconfig = load_document(there.kubeconfig.read_bytes()).value
    authority = kubeconfig["clusters"][0]["cluster"]["certificate-authority-data"]
    plugin = {"command": str(command), "apiVersion": "client.authentication.k8s.io/v1", "env": env}
    return encode({"tlsClientConfig": {"caData": authority}, "execProviderConfig": plugin}).decode()


def login_command(folder, there, before=""):
    """A program that prints the certificate of the administrator of *there*."""
    user = load_document(there.kubeconfig.read_bytes()).value["users"][0]["user"]
    pems = {name: base64.b64decode(user[f"client-{part}-data"]).decode() for name, part in (("clientCertificateData", "certificate"), ("clientKeyData", "key"))}  # fmt: skip
    printed = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": pems}
    (folder / "printed").write_bytes(encode(printed))
    script = folder / "login"
    script.write_text(f"#!/bin/sh\n{before}\ncat {folder / 'printed'}\n")
    script.chmod(0o700)
    return script


async def messages(town, name="web"):
    return [each["message"] for each in (await town.app(name)).get("status", {}).get("conditions", [])]


async def with_namespace(there):
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    await there.create(Target(GroupVersionResource("", "v1", "namespaces")), encode(namespace))


@pytest.mark.parametrize("named", [True, False])
async def test_a_command_logs_in_where_it_was_named_and_is_not_run_where_it_was_not(tmp_path, named):
    clock, ids = SystemClock(), Ids(3)
    here = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    async with hosted(tmp_path / "edge", 0, clock, Ids(4)) as edge, here.running():
        command = login_command(tmp_path, edge, before=f"touch {tmp_path / 'ran'}")
        trust = allowing(frozenset({str(command) if named else "another"}), frozenset())
        async with on_plane(here, clock, ids, files={"web/a.yaml": config_map("a")}, trust=trust) as town:
            await with_namespace(Client(edge.plane.transport()))
            secret = cluster_secret(edge, config=logging_in_with(command, edge))
            await town.create("v1/secrets", secret, "argocd")
            await town.deploy(destination={"name": "edge", "namespace": "shop"})

            async def delivered():
                return (await town.app()).get("status", {}).get("sync", {}).get("status") == "Synced"

            async def refused():
                return [each for each in await messages(town) if "--login-command" in each and "cluster-edge" in each]

            assert await eventually(delivered if named else refused)
            assert (tmp_path / "ran").exists() is named


async def test_a_login_that_fails_is_told_and_tried_again(tmp_path):
    clock, ids = SystemClock(), Ids(3)
    here = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    async with hosted(tmp_path / "edge", 0, clock, Ids(4)) as edge, here.running():
        good = tmp_path / "good"
        command = login_command(tmp_path, edge, before=f"test -e {good} || {{ echo session expired >&2; exit 3; }}")
        trust = allowing(frozenset({str(command)}), frozenset())
        async with on_plane(here, clock, ids, files={"web/a.yaml": config_map("a")}, trust=trust) as town:
            await with_namespace(Client(edge.plane.transport()))
            await town.create("v1/secrets", cluster_secret(edge, config=logging_in_with(command, edge)), "argocd")
            await town.deploy(destination={"name": "edge", "namespace": "shop"})

            async def told():
                found = await messages(town)
                return [each for each in found if "cluster Secret cluster-edge" in each and "session expired" in each]

            assert await eventually(told)
            good.touch()

            async def delivered():
                return (await town.app()).get("status", {}).get("sync", {}).get("status") == "Synced"

            assert await eventually(delivered)


async def test_a_login_that_hangs_delays_no_other_cluster(tmp_path):
    clock, ids = SystemClock(), Ids(3)
    here = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    async with hosted(tmp_path / "edge", 0, clock, Ids(4)) as edge, here.running():
        command = login_command(tmp_path, edge, before=f"touch {tmp_path / 'ran'}; sleep 60")
        trust = allowing(frozenset({str(command)}), frozenset())
        files = {f"stuck-{number}/a.yaml": config_map("a") for number in range(6)}
        files["near/b.yaml"] = config_map("b")
        async with on_plane(here, clock, ids, files=files, trust=trust, workers=2) as town:
            hanging = cluster_secret(
                edge, name="stuck", config=logging_in_with(command, edge), server="https://127.0.0.1:1"
            )
            await town.create("v1/secrets", hanging, "argocd")
            for number in range(6):
                await town.deploy(f"stuck-{number}", destination={"name": "stuck", "namespace": "shop"})

            async def hangs():
                return (tmp_path / "ran").exists()

            await eventually(hangs)
            began_s = time.monotonic()
            await town.deploy("near", destination={"name": "in-cluster", "namespace": "shop"})

            async def delivered():
                return (await town.app("near")).get("status", {}).get("sync", {}).get("status") in {
                    "Synced",
                    "OutOfSync",
                }

            assert await eventually(delivered)
            assert time.monotonic() - began_s < 12, "less than the login may take"
