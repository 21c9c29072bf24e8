"""Claims on a control plane: listed, looked at, drawn, and seen by those only who may."""

import pytest
from tests.web.api.ours.office import CRDS, TRACKED, Who, installed, office, put, until

from plumbline.base.errors import Forbidden
from plumbline.base.json import encode
from plumbline.composition.tracing.branches import Node, Unlisted
from plumbline.kernel.installing import served
from plumbline.kernel.metrics import Metrics
from plumbline.kinds.crossplane.definition import COMPOSITE_RESOURCE_DEFINITION
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.web.api.infrastructure import InfrastructureApi
from plumbline.web.api.infrastructure.nodes import Drawing
from plumbline.web.api.ours.rights import OurRights

GROUP = "platform.test"
CLAIMS = "/api/v1/claims"
ONE = f"{CLAIMS}/{GROUP}/Database/shop/orders"
SINCE = "2026-01-02T03:04:05Z"


def crd(kind, group=GROUP, *, namespaced):
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    spec = {
        "group": group,
        "names": {"kind": kind, "plural": plural},
        "scope": "Namespaced" if namespaced else "Cluster",
        "versions": [version],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": spec,
    }


def conditions(synced="True", ready="True", **messages):
    def made(type_, status, good, bad):
        said = {
            "type": type_,
            "status": status,
            "reason": good if status == "True" else bad,
            "lastTransitionTime": SINCE,
        }
        return {**said, **({"message": messages[type_]} if type_ in messages else {})}

    return {
        "conditions": [
            made("Synced", synced, "ReconcileSuccess", "ReconcileError"),
            made("Ready", ready, "Available", "Creating"),
        ]
    }


def obj(kind, name, namespace="", group=GROUP, spec=None, status=None, **metadata):
    place = {"namespace": namespace} if namespace else {}
    made = {
        "apiVersion": f"{group}/v1",
        "kind": kind,
        "metadata": {"name": name, **place, **metadata},
        "spec": spec or {},
    }
    return {**made, **({"status": status} if status else {})}


def xrd(kind, *, claim="", scope="", offered="True"):
    names = {"kind": kind, "plural": f"{kind.lower()}s"}
    schema = {
        "openAPIV3Schema": {
            "type": "object",
            "description": "A thing",
            "properties": {
                "spec": {
                    "type": "object",
                    "required": ["size"],
                    "properties": {"size": {"type": "string"}, "compositionRef": {"type": "object"}},
                }
            },
        }
    }
    spec = {
        "group": GROUP,
        "names": names,
        "versions": [
            {"name": "v1", "served": True, "referenceable": True, "schema": schema},
            {"name": "v0", "served": False, "referenceable": False},
        ],
    }
    spec |= {"claimNames": {"kind": claim, "plural": f"{claim.lower()}s"}} if claim else {}
    spec |= {"scope": scope} if scope else {}
    told = [{"type": "Established", "status": offered, "reason": "x", "lastTransitionTime": SINCE}]
    told += (
        [
            {
                "type": "Offered",
                "status": offered,
                "reason": "x",
                "lastTransitionTime": SINCE,
                "message": "a CRD is in the way",
            }
        ]
        if claim
        else []
    )
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": f"{kind.lower()}s.{GROUP}"},
        "spec": spec,
        "status": {"conditions": told},
    }


def resource(kind, group=GROUP):
    return GroupVersionResource(group, "v1", f"{kind.lower()}s")


RDS = "rds.aws.upbound.io"
AWS = "aws.upbound.io"


@pytest.fixture
async def platform(place):
    await installed(place, COMPOSITE_RESOURCE_DEFINITION)
    for made in (
        crd("Database", namespaced=True),
        crd("XDatabase", namespaced=False),
        crd("Queue", namespaced=True),
        crd("Instance", RDS, namespaced=False),
    ):
        await place.client.create(Target(CRDS), encode(made))
    for each in (resource("Database"), resource("XDatabase"), resource("Queue"), resource("Instance", RDS)):
        await served(place.client, Target(each), place.desk.clock)
    place.client.discovery.forget()
    for made in (
        xrd("XDatabase", claim="Database"),
        xrd("Queue", scope="Namespaced"),
        xrd("Broken", claim="Breakable", offered="False"),
    ):
        await put(place, COMPOSITE_RESOURCE_DEFINITION.resource, made)
    refs = [
        {"apiVersion": f"{RDS}/v1", "kind": "Instance", "name": "orders-db"},
        {"apiVersion": f"{RDS}/v1", "kind": "Instance", "name": "lost"},
    ]
    failing = "Unready resources: db — db: api error AccessDenied: not for you"
    claimed = {"claimRef": {"apiVersion": f"{GROUP}/v1", "kind": "Database", "namespace": "shop", "name": "orders"}}
    await put(
        place,
        resource("XDatabase"),
        obj(
            "XDatabase",
            "orders-x",
            spec={"resourceRefs": refs, "compositionRef": {"name": "aws"}, **claimed},
            status=conditions(ready="False", Ready=failing),
        ),
    )
    waiting = "Claim is waiting for composite resource to become Ready: db: api error AccessDenied: not for you"
    marks = {TRACKED: f"web:{GROUP}/Database:shop/orders", "kubectl.kubernetes.io/last-applied-configuration": "{}"}
    await put(
        place,
        resource("Database"),
        obj(
            "Database",
            "orders",
            "shop",
            spec={
                "size": "s",
                "resourceRef": {"apiVersion": f"{GROUP}/v1", "kind": "XDatabase", "name": "orders-x"},
                "writeConnectionSecretToRef": {"name": "login"},
            },
            status=conditions(ready="False", Ready=waiting),
            annotations=marks,
        ),
    )
    await put(place, resource("Database"), obj("Database", "ledger", "team"))
    await put(
        place,
        resource("Queue"),
        obj("Queue", "jobs", "team", spec={"crossplane": {"resourceRefs": []}}, status=conditions()),
    )
    told = conditions(synced="False", Synced="api error AccessDenied: not for you")
    told["conditions"].append(
        {
            "type": "UpToDate",
            "status": "False",
            "reason": "Drift",
            "message": "storage is 200, wanted 100",
            "lastTransitionTime": SINCE,
        }
    )
    await put(
        place,
        resource("Instance", RDS),
        obj(
            "Instance",
            "orders-db",
            group=RDS,
            spec={"forProvider": {"region": "eu-central-1"}, "providerConfigRef": {"name": "default"}},
            status=told,
            annotations={"crossplane.io/external-name": "orders-1a2b", "crossplane.io/composition-resource-name": "db"},
        ),
    )
    await place.deploy("web")
    api = place.infrastructure = InfrastructureApi(place.desk, Metrics())
    async with office(place, api):
        await until_listed(place, 3)
        yield place


async def until_listed(place, count):
    for _ in range(200):
        found = (await place.ask("GET", CLAIMS)).json
        if found["counts"]["total"] == count and all("state" in each for each in found["items"]):
            return found
    raise AssertionError(found)


async def test_claims_and_namespaced_composites_are_listed_with_the_deepest_reason_and_their_clouds(platform):
    found = await until_listed(platform, 3)
    names = {each["name"]: each for each in found["items"]}
    orders = names["orders"]
    assert (orders["kind"], orders["namespace"], orders["ready"], orders["state"]) == (
        "Database",
        "shop",
        "False",
        "wrong",
    )
    assert orders["message"] == "db: api error AccessDenied: not for you"
    assert (orders["providers"], orders["composition"], orders["parts"]) == (["aws"], "aws", 2)
    assert (names["jobs"]["state"], names["ledger"]["state"]) == ("well", "waiting")
    assert found["counts"]["kind"] == {"Database": 2, "Queue": 1}
    assert "unseen" not in found


async def test_a_list_is_searched_sorted_and_paged(platform):
    found = (await platform.ask("GET", f"{CLAIMS}?q=kind:database&sort=-name&limit=1")).json
    assert ([each["name"] for each in found["items"]], found["next"]) == (["orders"], 1)
    worst = (await platform.ask("GET", f"{CLAIMS}?sort=state,created")).json["items"]
    assert worst[-1]["name"] == "jobs"
    assert (await platform.ask("GET", f"{CLAIMS}?q=provider:aws")).json["counts"]["total"] == 1
    assert (await platform.ask("GET", f"{CLAIMS}?limit=x")).status == 400


async def test_a_tree_goes_down_to_the_cloud_and_says_what_is_wrong_and_whose_turn_it_is(platform):
    found = (await platform.ask("GET", f"{ONE}/tree")).json
    claim, composite, *instances = found["nodes"]
    assert [claim["role"], composite["role"]] == ["claim", "composite"]
    assert (composite["parent"], {each["parent"] for each in instances}) == (0, {1})
    (db,) = [each for each in instances if each["name"] == "orders-db"]
    assert (db["externalName"], db["provider"], db["providerConfig"]) == ("orders-1a2b", "aws", "default")
    assert db["message"] == "api error AccessDenied: not for you"
    assert db["drift"] == "storage is 200, wanted 100"
    assert db["console"].startswith("https://eu-central-1.console.aws.amazon.com/rds/")
    (lost,) = [each for each in instances if each["name"] == "lost"]
    assert (lost["presence"], lost["parts"]) == ("missing", "none")
    assert found["cause"]["turn"] == "your"
    assert found["cause"]["path"][-1]["name"] == "orders-db"
    assert "AccessDenied" in found["sentence"]


async def test_what_is_only_simulated_says_so_and_has_no_console(platform):
    """The object that says how a cloud is reached says what stands in for it."""
    await platform.client.create(Target(CRDS), encode(crd("ProviderConfig", AWS, namespaced=False)))
    await served(platform.client, Target(resource("ProviderConfig", AWS)), platform.desk.clock)
    platform.client.discovery.forget()
    said = "Nothing here reaches AWS"
    config = obj("ProviderConfig", "default", group=AWS, annotations={"plumbline.dev/simulated": said})
    await put(platform, resource("ProviderConfig", AWS), config)
    nodes = (await platform.ask("GET", f"{ONE}/tree")).json["nodes"]
    (db,) = [each for each in nodes if each["name"] == "orders-db"]
    assert db["simulated"] == said
    assert all("console" not in each for each in nodes)
    assert all("simulated" not in each for each in nodes if each is not db)


async def test_a_claim_that_says_that_it_is_simulated_is_listed_with_that(platform):
    said = {"plumbline.dev/simulated": "No cloud has it"}
    await put(platform, resource("Queue"), obj("Queue", "mock", "team", annotations=said))
    found = await until_listed(platform, 4)
    assert {each["name"]: each.get("simulated") for each in found["items"]}["mock"] == "No cloud has it"
    (node,) = (await platform.ask("GET", f"{CLAIMS}/{GROUP}/Queue/team/mock/tree")).json["nodes"]
    assert node["simulated"] == "No cloud has it"


@pytest.mark.parametrize(("path", "parts"), [("Database/team/ledger", "none"), ("Queue/team/jobs", "empty")])
async def test_a_tree_without_parts_says_why(platform, path, parts):
    found = (await platform.ask("GET", f"{CLAIMS}/{GROUP}/{path}/tree")).json
    assert found["nodes"][0]["parts"] == parts
    assert "cause" not in found or found["cause"]


async def test_a_composite_that_was_not_composed_yet_is_still_loading(platform):
    await put(
        platform, resource("Queue"), obj("Queue", "new", "team", spec={"crossplane": {"compositionRef": {"name": "a"}}})
    )
    found = (await platform.ask("GET", f"{CLAIMS}/{GROUP}/Queue/team/new/tree")).json
    assert found["nodes"][0]["parts"] == "loading"


async def test_composites_that_nothing_asked_for_are_listed_and_those_that_are_parts_are_not(platform):
    await put(platform, resource("XDatabase"), obj("XDatabase", "shared"))
    owner = {"apiVersion": "v1", "kind": "X", "name": "x", "uid": "1", "controller": True}
    await put(platform, resource("XDatabase"), obj("XDatabase", "inner", ownerReferences=[owner]))
    found = await until_listed(platform, 4)
    assert "shared" in {each["name"] for each in found["items"]}
    shown = await platform.ask("GET", f"{CLAIMS}/{GROUP}/XDatabase/-/shared")
    assert shown.json["object"]["metadata"]["name"] == "shared"


async def test_one_claim_is_shown_without_what_only_machines_read(platform):
    found = (await platform.ask("GET", ONE)).json
    assert "managedFields" not in found["object"]["metadata"]
    assert list(found["object"]["metadata"]["annotations"]) == [TRACKED]
    assert (found["connectionSecret"], found["events"]) == ("login", [])
    assert found["application"] == {"namespace": "argocd", "name": "web"}


async def test_events_that_cannot_be_read_are_not_told_as_none(platform):
    listed = platform.client.list

    async def failing(target, *more, **options):
        if target.resource.resource == "events":
            raise Forbidden("GET /events failed", why="events is forbidden")
        return await listed(target, *more, **options)

    platform.client.list = failing
    found = (await platform.ask("GET", ONE)).json
    assert (found["events"], found["eventsUnread"]) == ([], "events is forbidden")


async def test_whoever_may_get_the_application_sees_what_it_delivers_and_nothing_else(platform):
    found = (await platform.ask("GET", CLAIMS, who="dev")).json
    assert [each["name"] for each in found["items"]] == ["orders"]
    assert found["counts"]["namespace"] == {"shop": 1}
    assert (await platform.ask("GET", ONE, who="dev")).status == 200


async def test_what_is_not_there_and_what_may_not_be_seen_are_answered_alike(platform):
    hidden = await platform.ask("GET", f"{CLAIMS}/{GROUP}/Database/team/ledger", who="dev")
    absent = await platform.ask("GET", f"{CLAIMS}/{GROUP}/Database/team/nothing", who="dev")
    foreign = await platform.ask("GET", f"{CLAIMS}/v1/Secret/team/x", who="dev")
    assert hidden == absent == foreign
    assert hidden.status == 403
    assert (await platform.ask("GET", f"{CLAIMS}/{GROUP}/Database/team/nothing")).status == 404
    assert (await platform.ask("GET", f"{CLAIMS}/{GROUP}/Database/team/a%2Fb")).status == 404


async def test_a_line_about_claims_shows_them_and_one_that_denies_hides_them(platform):
    platform.allow("p, eve, infrastructure, get, team/*, allow\n")
    assert {each["name"] for each in (await platform.ask("GET", CLAIMS, who="eve")).json["items"]} == {"ledger", "jobs"}
    platform.allow("p, dev, infrastructure, get, shop/Database/*, deny\n")
    assert (await platform.ask("GET", CLAIMS, who="dev")).json["items"] == []
    assert (await platform.ask("GET", CLAIMS, who="")).status == 401


async def test_what_a_platform_offers_is_listed_with_schemas_for_forms(platform):
    found = (await platform.ask("GET", "/api/v1/definitions")).json
    offered = {each["name"]: each for each in found["items"]}
    assert (offered[f"xdatabases.{GROUP}"]["kind"], offered[f"xdatabases.{GROUP}"]["offered"]) == ("Database", True)
    assert (offered[f"queues.{GROUP}"]["kind"], offered[f"queues.{GROUP}"]["namespaced"]) == ("Queue", True)
    assert offered[f"brokens.{GROUP}"]["message"] == "a CRD is in the way"
    one = (await platform.ask("GET", f"/api/v1/definitions/xdatabases.{GROUP}")).json
    assert one["schemas"]["v1"]["spec"]["properties"] == {"size": {"type": "string"}}
    assert (one["schemas"]["v1"]["description"], list(one["schemas"])) == ("A thing", ["v1"])


async def test_definitions_are_for_those_who_may_get_them(platform):
    assert (await platform.ask("GET", "/api/v1/definitions", who="dev")).json["items"] == []
    assert (await platform.ask("GET", f"/api/v1/definitions/xdatabases.{GROUP}", who="dev")).status == 403
    assert (await platform.ask("GET", "/api/v1/definitions/nothing")).status == 404


async def test_without_the_kinds_there_is_nothing_and_no_error(place):
    async with office(place, InfrastructureApi(place.desk, Metrics())):
        assert (await place.ask("GET", CLAIMS)).json["items"] == []
        assert (await place.ask("GET", "/api/v1/definitions")).json["items"] == []
        assert (await place.ask("GET", ONE)).status == 404
        assert (await place.ask("GET", "/api/v1/definitions/x")).status == 404


async def test_a_kind_that_cannot_be_read_does_not_hide_the_others(platform):
    api = InfrastructureApi(platform.desk, Metrics())
    gone = xrd("Gone", scope="Namespaced")
    await put(platform, COMPOSITE_RESOURCE_DEFINITION.resource, gone)
    async with office(platform, api):
        found = (await platform.ask("GET", CLAIMS)).json
    assert [each["kind"] for each in found["unseen"]] == [f"gones.{GROUP}"]
    assert found["counts"]["total"] == 3


async def test_a_kind_that_is_no_more_is_let_go(platform):
    await platform.client.delete(Target(COMPOSITE_RESOURCE_DEFINITION.resource, "", f"queues.{GROUP}"))
    found = await until_listed(platform, 2)
    assert {each["kind"] for each in found["items"]} == {"Database"}


async def test_one_change_is_one_piece_of_news_for_those_who_may_see_it(platform):
    rights, told = OurRights(platform.desk), []
    async with platform.infrastructure.feed.following("claims", told.append):
        composite = Target(resource("XDatabase"), "", "orders-x")
        await platform.client.patch(composite, encode({"spec": {"resourceRefs": []}}), "merge")
        await until(lambda: told)
        await platform.client.patch(composite, encode({"metadata": {"labels": {"seen": "not"}}}), "merge")
        await platform.client.delete(Target(resource("Queue"), "team", "jobs"))
        await until(lambda: len(told) > 1)
    (orders, jobs) = told
    assert (orders.key, orders.kind, orders.payload) == (
        f"{GROUP}/Database/shop/orders",
        "MODIFIED",
        {"state": "wrong"},
    )
    assert (jobs.key, jobs.kind) == (f"{GROUP}/Queue/team/jobs", "DELETED")
    assert [rights.sees_scope(Who("dev"), each.scope) for each in told] == [True, False]
    assert [rights.sees_scope(Who("ada"), each.scope) for each in told] == [True, True]
    assert not rights.sees_scope(Who("eve"), orders.scope)
    platform.allow("p, role:dev, infrastructure, get, shop/Database/orders, deny\n")
    assert not rights.sees_scope(Who("dev"), orders.scope)


async def test_what_a_new_definition_brings_and_what_goes_with_one_is_told(platform):
    told = []
    async with platform.infrastructure.feed.following("claims", told.append):
        definition = Target(COMPOSITE_RESOURCE_DEFINITION.resource, "", f"queues.{GROUP}")
        await platform.client.delete(definition)
        await until(lambda: [each.kind for each in told] == ["DELETED"])
        await put(platform, COMPOSITE_RESOURCE_DEFINITION.resource, xrd("Queue", scope="Namespaced"))
        await until(lambda: [each.kind for each in told] == ["DELETED", "ADDED"])
        await platform.client.delete(Target(resource("Queue"), "team", "jobs"))
        await until(lambda: [each.kind for each in told] == ["DELETED", "ADDED", "DELETED"])
    assert {each.key for each in told} == {f"{GROUP}/Queue/team/jobs"}


def test_parts_that_could_not_be_listed_are_not_told_as_none():
    seen = Node(obj("Queue", "q", "team"), unlisted=(Unlisted("Pod", "pods is forbidden"),))
    found = Drawing().tree(seen)
    assert found["nodes"][0]["parts"] == "forbidden"
    assert found["sentence"].endswith("Pod could not be listed: pods is forbidden.")
