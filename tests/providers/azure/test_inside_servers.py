"""What is in servers and groups: waiting for them, staying in them, keeping them, and settings."""

import pytest

from plumbline.base.errors import Forbidden, NotYet, Refused, SchemaViolation, Transient

from .vendor.identity import SUBSCRIPTION
from .yard import CONFIG, RESOURCE_GROUP, SERVER, Yard, server, with_group, with_server


async def test_a_server_waits_for_its_group_and_a_database_for_its_server():
    yard = Yard()
    with pytest.raises(Transient, match="cannot be created yet"):
        await yard.reconcile(server(yard))
    await with_group(yard)
    database = yard.thing("dbforpostgresql/FlexibleServerDatabase", "orders", {"serverId": SERVER})
    with pytest.raises(Transient, match="cannot be created yet"):
        await yard.reconcile(database)
    await yard.reconcile(server(yard))
    with pytest.raises(NotYet, match="busy"):
        await yard.reconcile(database)
    await yard.wait()
    await yard.straighten(database)


async def test_a_database_of_something_else_is_refused():
    yard = Yard()
    for wrong in (f"{RESOURCE_GROUP}/providers/Microsoft.Sql/servers/pg", f"{SERVER}/../other", f"{SERVER}?x=y"):
        with pytest.raises(SchemaViolation, match="is no id"):
            await yard.observe(yard.thing("dbforpostgresql/FlexibleServerDatabase", "orders", {"serverId": wrong}))


async def test_a_database_that_is_said_to_be_in_another_server_stays_where_it_is():
    yard = Yard()
    await with_server(yard)
    database = yard.thing("dbforpostgresql/FlexibleServerDatabase", "orders", {"serverId": SERVER})
    await yard.straighten(database)
    assert (await yard.observe(database)).holds == "a database"
    other = SERVER.replace("/pg", "/other")
    database.wants(serverId=other)
    (moved,) = (await yard.observe(database)).differences
    assert (moved.path, moved.wanted, moved.found, moved.replaces) == ("serverId", other, SERVER, True)
    database.wants(serverId=None)
    assert (await yard.observe(database)).differences == (), "a reference that is gone changes nothing"


async def test_a_status_that_somebody_has_forged_leads_nowhere():
    yard = Yard()
    await with_server(yard)
    database = yard.thing("dbforpostgresql/FlexibleServerDatabase", "orders", {"serverId": SERVER})
    database.object["status"] = {"atProvider": {"id": f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop"}}
    assert not (await yard.observe(database)).exists
    assert yard.cloud.calls[-1].path == f"{SERVER}/databases/orders"


async def test_a_lock_protects_what_is_below_it():
    yard = Yard()
    thing = await with_server(yard)
    yard.cloud.locks[RESOURCE_GROUP.lower()] = "keep"
    thing.object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    observed = await yard.observe(thing)
    assert observed.protected == "it is locked in Azure by keep (CanNotDelete)"
    external = await yard.external(thing)
    with pytest.raises(Refused, match="locked in Azure"):
        await external.delete(yard.managed(thing), observed)
    yard.cloud.fail("GET locks", status=403, code="AuthorizationFailed")
    unseen = await external.observe(yard.managed(thing))
    assert not unseen.protected
    with pytest.raises(Refused, match="Please remove the lock") as refused:
        await external.delete(yard.managed(thing), unseen)
    assert refused.value.hint.startswith("Remove the lock")


async def test_a_group_is_deleted_only_when_nothing_is_in_it():
    yard = Yard()
    thing = await with_server(yard)
    group = yard.thing("ResourceGroup", "shop", {"location": "westeurope"})
    group.object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    observed = await yard.observe(group)
    assert observed.protected == "there is something in it still: pg"
    assert observed.after_s, "it may be on its way out"
    yard.cloud.locks[SERVER.lower()] = "keep"
    observed = await yard.observe(group)
    assert "keep" in observed.protected, "what is locked below locks what is above"
    assert observed.after_s is None, "a lock waits for a person"
    yard.cloud.locks.clear()
    yard.cloud.fail("GET resources", status=403, code="AuthorizationFailed")
    assert not (await yard.observe(group)).protected
    await yard.clear(thing)
    await yard.clear(group)
    assert not yard.cloud.resources


async def test_a_group_in_a_state_that_nobody_knows_is_unavailable():
    yard = Yard()
    await with_group(yard)
    yard.cloud.change(RESOURCE_GROUP, {"properties": {"provisioningState": "Failed"}})
    observed = await yard.observe(yard.thing("ResourceGroup", "shop", {"location": "westeurope"}))
    assert (observed.state, observed.message) == ("Unavailable", "The state of the group is Failed")


def setting(yard, name="max_connections", value="100"):
    return yard.thing(
        "dbforpostgresql/FlexibleServerConfiguration", "setting", {"serverId": SERVER, "name": name, "value": value}
    )


@pytest.mark.parametrize("restarts", [False, True], ids=["is left", "is restarted where that is asked for"])
async def test_a_server_that_has_to_be_restarted(restarts):
    features = {"postgreSQLFlexibleServer": {"restartServerOnConfigurationValueChange": restarts}}
    yard = Yard(config={**CONFIG, "features": features})
    await with_server(yard)
    thing = setting(yard)
    observed = await yard.straighten(thing)
    assert yard.cloud.count("POST restart") == int(restarts)
    assert bool(observed.message) is not restarts


async def test_switches_of_postgresql_are_the_same_in_any_letters():
    yard = Yard()
    await with_server(yard)
    thing = setting(yard, "log_checkpoints", "OFF")
    await yard.straighten(thing)
    assert yard.cloud.count("PUT configurations") == 1


async def test_a_setting_that_is_wanted_as_it_is_by_itself_is_ours_and_goes_without_a_request():
    yard = Yard()
    await with_server(yard)
    thing = setting(yard, "work_mem", "4096")
    await yard.straighten(thing)
    assert thing.object["metadata"]["annotations"]["crossplane.io/external-name"] == f"{SERVER}/configurations/work_mem"
    await yard.clear(thing)
    assert yard.cloud.count("PATCH configurations") == 0


async def test_another_setting_under_the_same_object_is_refused():
    yard = Yard()
    await with_server(yard)
    thing = setting(yard)
    await yard.straighten(thing)
    thing.wants(name="work_mem")
    assert [(one.path, one.replaces) for one in (await yard.observe(thing)).differences][-1] == ("name", True)
    with pytest.raises(SchemaViolation, match="has no name"):
        await yard.observe(yard.thing("dbforpostgresql/FlexibleServerConfiguration", "x", {"serverId": SERVER}))


async def test_who_may_not_look_is_told_so():
    yard = Yard()
    yard.cloud.fail("GET groups", status=403, code="AuthorizationFailed")
    with pytest.raises(Forbidden):
        await yard.observe(yard.thing("ResourceGroup", "shop", {"location": "westeurope"}))
