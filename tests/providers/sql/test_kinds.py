"""Databases, roles and grants as people write them: served, reconciled, and a Secret that really opens a database."""

import asyncio
from contextlib import asynccontextmanager

import psycopg
import pytest

from plumbline.apiserver.plane import Plane
from plumbline.base.clock import SystemClock
from plumbline.base.errors import InvalidInput, NotFound, UnknownKind
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.collections import Collections
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupKind, GroupVersionResource
from plumbline.managed.kinds import Catalogue
from plumbline.managed.managed import ManagedResources, Parts
from plumbline.managed.manifests import config_crd, config_kinds, managed_crd
from plumbline.managed.secrets import values_of
from plumbline.ownership.ledger import Ledger
from plumbline.providers.sql import kinds
from plumbline.providers.sql.kinds import GROUP, NAMESPACED_GROUP, POSTGRESQL

BY_HAND = Writing(field_manager="kubectl")
CORE = GroupVersionResource("", "v1", "")
SECRETS = CORE._replace(resource="secrets")
KINDS = ("Database", "Role", "Grant", "Schema", "Extension", "DefaultPrivileges")


def resource(plural, group=GROUP):
    return GroupVersionResource(group, "v1alpha1", plural)


def test_the_kinds_are_upstreams():
    found = {(str(kind.group_kind), kind.plural, kind.namespaced) for kind in kinds(None)}
    plurals = {"DefaultPrivileges": "defaultprivileges"}
    assert found == {
        (f"{kind}.{group}", plurals.get(kind, f"{kind.lower()}s"), group == NAMESPACED_GROUP)
        for kind in KINDS
        for group in (GROUP, NAMESPACED_GROUP)
    }
    holding = {kind.kind for kind in kinds(None) if kind.holds}
    assert holding == {"Database"}


def test_fields_and_references_are_upstreams():
    wanted = {
        "Database": {"owner", "ownerRef", "ownerSelector", "template", "strategy", "encoding", "lcCollate", "lcCType",
                     "tablespace", "allowConnections", "connectionLimit", "isTemplate"},
        "Role": {"connectionLimit", "privileges", "passwordSecretRef", "configurationParameters", "passwordRotationTrigger"},
        "Grant": {"privileges", "withOption", "role", "roleRef", "roleSelector", "database", "databaseRef", "databaseSelector",
                  "schema", "schemaRef", "schemaSelector", "memberOf", "memberOfRef", "memberOfSelector", "revokePublicOnDb",
                  "columns", "tables", "sequences", "routines", "foreignDataWrappers", "foreignServers", "withInherit"},
        "Schema": {"role", "roleRef", "roleSelector", "database", "databaseRef", "databaseSelector", "revokePublicOnSchema",
                   "dropBehavior"},
        "Extension": {"extension", "version", "schema", "database", "databaseRef", "databaseSelector"},
        "DefaultPrivileges": {"privileges", "targetRole", "objectType", "withOption", "role", "roleRef", "roleSelector",
                              "database", "databaseRef", "databaseSelector", "schema"},
    }  # fmt: skip
    for kind in kinds(None):
        schema = managed_crd(kind)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        assert schema["properties"]["spec"]["properties"]["forProvider"]["properties"].keys() == wanted[kind.kind]
    configs = config_kinds(POSTGRESQL, namespaced=True)
    assert {each.group for each in configs} == {NAMESPACED_GROUP}
    assert config_crd(configs[0])["metadata"]["name"] == f"clusterproviderconfigs.{NAMESPACED_GROUP}"


@asynccontextmanager
async def installation(servers):
    clock, ids = SystemClock(), Ids(5)
    plane = Plane(clock, ids, authority_pem="the authority", workloads=False)
    world = World(clock, ids, Metrics())
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        client = Client(plane.transport(), clock=clock, ids=ids)
        ledger = Ledger()
        gate = Gate(Powers(lambda: MandateSpec(mode="Enforce"), ledger, lambda: None), Live(journal), clock)
        records = GatedRecords(gate, client, clock, "plumbline-managed", cluster="in-cluster")
        collections = Collections(client, world.metrics)
        managed = ManagedResources(Parts(client, world, gate, ledger, records, collections, Catalogue(kinds(servers))))
        tasks = [asyncio.create_task(collections.run()), asyncio.create_task(managed.run())]
        try:
            for kind in KINDS:
                assert await managed.activation.ensure(GroupKind(GROUP, kind))
            yield client
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def create(client, target, kind, name, namespace="", **fields):
    body = {"apiVersion": target.api_version, "kind": kind, "metadata": {"name": name}, **fields}
    for _ in range(100):
        try:
            return await client.create(Target(target, namespace), encode(body), BY_HAND)
        except (NotFound, UnknownKind):
            await asyncio.sleep(0.05)
    raise AssertionError(f"{kind} is not served")


async def until(true):
    async with asyncio.timeout(30):
        while not (found := await true()):  # noqa: ASYNC110 - another process has to get there
            await asyncio.sleep(0.05)
    return found


async def ready(client, plural, name):
    async def so():
        obj = decode(await client.get(Target(resource(plural), "", name)))
        said = {each["type"]: each for each in (obj.get("status") or {}).get("conditions", [])}
        if said.get("Synced", {}).get("status") == "False":
            last.append(said["Synced"]["message"])
        return obj if all(said.get(each, {}).get("status") == "True" for each in ("Ready", "Synced")) else None

    last = []
    try:
        return await until(so)
    except TimeoutError:
        raise AssertionError(last[-3:]) from None


async def gone(client, plural, name):
    async def so():
        try:
            await client.get(Target(resource(plural), "", name))
        except NotFound:
            return True
        return False

    await until(so)


async def test_a_database_with_its_role_and_grant_in_any_order_and_a_secret_that_opens_it(desk):
    async with installation(desk.servers) as client:
        await create(client, CORE._replace(resource="namespaces"), "Namespace", "shop")
        server = {key: value.reveal().decode() for key, value in desk.server.secret().items()}
        await create(client, SECRETS, "Secret", "server", "shop", stringData=server)
        credentials = {
            "source": "PostgreSQLConnectionSecret",
            "connectionSecretRef": {"name": "server", "namespace": "shop"},
        }
        config = {"credentials": credentials, "sslMode": "disable"}
        with pytest.raises(InvalidInput):
            await create(
                client, resource("providerconfigs"), "ProviderConfig", "bad", spec={"credentials": {"source": "x"}}
            )
        await create(client, resource("providerconfigs"), "ProviderConfig", "default", spec=config)
        grant = {"privileges": ["CREATE", "CONNECT"], "roleRef": {"name": "ada"}, "databaseRef": {"name": "shop"}}
        await create(client, resource("grants"), "Grant", "ada-shop", spec={"forProvider": grant})
        await create(client, resource("schemas"), "Schema", "sales", spec={"forProvider": {"databaseRef": {"name": "shop"}, "roleRef": {"name": "ada"}}})  # fmt: skip
        await create(
            client, resource("databases"), "Database", "shop", spec={"forProvider": {"ownerRef": {"name": "ada"}}}
        )
        published = {"writeConnectionSecretToRef": {"name": "ada", "namespace": "shop"}}
        await create(client, resource("roles"), "Role", "ada", spec={"forProvider": {"privileges": {"login": True}}, **published})  # fmt: skip
        await ready(client, "roles", "ada")
        await ready(client, "databases", "shop")
        await ready(client, "schemas", "sales")
        await ready(client, "grants", "ada-shop")
        secret = values_of(decode(await client.get(Target(SECRETS, "shop", "ada"))))
        opened = {key: value.reveal().decode() for key, value in secret.items()}
        with psycopg.connect(
            host=opened["endpoint"],
            port=opened["port"],
            user=opened["username"],
            password=opened["password"],
            dbname="shop",
        ) as connection:
            connection.execute("CREATE TABLE sales.orders (id int)")
            assert connection.execute("SELECT current_user").fetchone() == ("ada",)
        for plural, name in (("grants", "ada-shop"), ("roles", "ada")):
            await client.delete(Target(resource(plural), "", name))
        await gone(client, "grants", "ada-shop")
        role = decode(await client.get(Target(resource("roles"), "", "ada")))
        assert role["metadata"]["deletionTimestamp"], "it still owns what is in the database"
