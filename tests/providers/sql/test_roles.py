from datetime import timedelta

import psycopg
import pytest

from plumbline.base.clock import rfc3339
from plumbline.base.errors import Forbidden, InvalidInput, NotFound, Transient
from plumbline.base.plaintext import Plaintext
from plumbline.providers.sql.passwords import kept_form

from .test_databases import HOSTILE

PUBLISHED = {"writeConnectionSecretToRef": {"name": "ada", "namespace": "default"}}


def published(desk, name="ada", **wanted):
    made = desk.resource("Role", name, **wanted)
    made.spec = PUBLISHED
    return made


def logs_in(desk, name, password):
    try:
        return desk.sql("SELECT current_user", user=name, password=password) == [(name,)]
    except psycopg.OperationalError:
        return False


async def test_a_role_is_made_once_and_its_connection_secret_opens_it(desk):
    ada = published(desk, privileges={"login": True})
    observed = await ada.reconcile()
    assert observed.differences == ()
    assert ada.published.keys() == {"username", "password", "endpoint", "port"}
    assert (ada.published["username"], ada.published["endpoint"]) == ("ada", desk.server.endpoint)
    assert ada.published["port"] == str(desk.server.port)
    assert logs_in(desk, "ada", ada.published["password"])
    await ada.reconcile()
    await ada.reconcile()
    assert ada.writes == 1
    assert ada.wanted["privileges"]["createDb"] is False
    assert ada.wanted["connectionLimit"] == -1


async def test_what_the_role_may_do_is_told_in_clauses(desk):
    ada = await desk.make("Role", "ada", privileges={"login": True, "createDb": True, "inherit": False})
    assert ada.status["privilegesAsClauses"] == [
        "NOSUPERUSER", "NOINHERIT", "CREATEDB", "NOCREATEROLE", "LOGIN", "NOREPLICATION", "NOBYPASSRLS",
    ]  # fmt: skip


async def test_privileges_and_limits_change_in_place_and_are_healed(desk):
    ada = await desk.make("Role", "ada", privileges={"login": True}, connectionLimit=4)
    ada.wanted = {"privileges": {"login": False, "createDb": True}, "connectionLimit": 5}
    observed = await ada.look()
    assert {each.path for each in observed.differences} == {
        "privileges.login", "privileges.createDb", "connectionLimit",
    }  # fmt: skip
    assert (await ada.reconcile()).differences == ()
    desk.sql("ALTER ROLE ada SUPERUSER LOGIN")
    assert {each.path for each in (await ada.look()).differences} == {"privileges.login"}
    assert (await ada.reconcile()).differences == ()
    assert desk.sql("SELECT rolcanlogin, rolcreatedb, rolconnlimit FROM pg_roles WHERE rolname = 'ada'") == [
        (False, True, 5)
    ]


async def test_a_password_from_a_secret_is_used_and_seen_when_it_changes_there(desk):
    desk.secrets.put("chosen", password="first")
    reference = {"name": "chosen", "namespace": "default", "key": "password"}
    ada = published(desk, privileges={"login": True}, passwordSecretRef=reference)
    await ada.reconcile()
    assert ada.published["password"] == "first"
    desk.secrets.put("chosen", password="second")
    observed = await ada.look()
    assert [each.path for each in observed.differences] == ["password"]
    assert "second" not in repr(observed)
    assert (await ada.reconcile()).differences == ()
    assert logs_in(desk, "ada", "second")
    assert not logs_in(desk, "ada", "first")
    assert ada.published["password"] == "second"


async def test_a_password_that_changes_is_seen_without_a_connection_secret_too(desk):
    desk.secrets.put("chosen", password="first")
    ada = desk.resource("Role", "ada", privileges={"login": True})
    ada.wanted["passwordSecretRef"] = {"name": "chosen", "namespace": "default", "key": "password"}
    await ada.reconcile()
    desk.secrets.put("chosen", password="second")
    assert (await ada.reconcile()).differences == ()
    assert logs_in(desk, "ada", "second")


async def test_a_password_that_somebody_changed_at_the_server_is_set_back_to_the_published_one(desk):
    ada = published(desk, privileges={"login": True})
    await ada.reconcile()
    kept = ada.published["password"]
    desk.sql("ALTER ROLE ada PASSWORD 'mine now'")
    assert [each.path for each in (await ada.look()).differences] == ["password"]
    assert (await ada.reconcile()).differences == ()
    assert ada.published["password"] == kept
    assert logs_in(desk, "ada", kept)


@pytest.mark.parametrize("removed", ["password", "all"])
async def test_a_published_password_that_got_lost_is_made_anew(desk, removed):
    ada = published(desk, privileges={"login": True})
    await ada.reconcile()
    lost = ada.published.pop("password")
    if removed == "all":
        del desk.secrets.contents["default", "ada"]
    else:
        del desk.secrets.contents["default", "ada"]["password"]
    assert (await ada.reconcile()).differences == ()
    assert ada.published["password"] != lost
    assert logs_in(desk, "ada", ada.published["password"])


async def test_a_role_that_is_made_again_keeps_the_password_that_people_have(desk):
    ada = published(desk, privileges={"login": True})
    await ada.reconcile()
    kept = ada.published["password"]
    desk.sql("DROP ROLE ada")
    await ada.reconcile()
    assert ada.published["password"] == kept
    assert logs_in(desk, "ada", kept)


async def test_a_creation_whose_answer_was_lost_ends_in_a_password_that_opens(desk):
    desk.sql("CREATE ROLE ada LOGIN PASSWORD 'nobody knows'")
    ada = published(desk, privileges={"login": True, "createDb": True})
    created = await (await ada.external()).create(ada.managed)
    assert logs_in(desk, "ada", created.connection["password"].reveal().decode())
    ada.publish(created.connection)
    assert (await ada.look()).differences == ()


async def test_a_generated_password_rotates_when_asked_after_it_was_set_and_only_once(desk):
    ada = published(desk, privileges={"login": True})
    await ada.reconcile()
    first = ada.published["password"]
    assert ada.status["lastPasswordChange"] == rfc3339(desk.clock.now())
    ada.wanted["passwordRotationTrigger"] = rfc3339(desk.clock.now() - timedelta(hours=1))
    assert (await ada.reconcile()).differences == ()
    ada.wanted["passwordRotationTrigger"] = rfc3339(desk.clock.now() + timedelta(seconds=30))
    desk.clock.jump(60)
    assert [each.path for each in (await ada.look()).differences] == ["password"]
    await ada.reconcile()
    second = ada.published["password"]
    assert second != first
    assert logs_in(desk, "ada", second)
    assert (await ada.reconcile()).differences == ()
    assert ada.published["password"] == second


async def test_a_rotation_that_is_no_moment_is_refused(desk):
    ada = published(desk)
    await ada.reconcile()
    ada.wanted["passwordRotationTrigger"] = "soon"
    with pytest.raises(InvalidInput):
        await ada.look()


async def test_a_password_secret_that_is_missing_is_named(desk):
    ada = desk.resource("Role", "ada", passwordSecretRef={"name": "nowhere", "namespace": "default", "key": "p"})
    with pytest.raises(NotFound) as missing:
        await ada.reconcile()
    assert "nowhere" in missing.value.what


@pytest.mark.parametrize(
    "password",
    [
        "plain",
        'it\'s "quoted" \\ and %s',
        "Grüße",
        "IX ª",
        "\u00ad soft",
        "a\u200bb",
        "שלום",
        "אa",
        "\u0007\u00e9",
        "x" * 200,
    ],
)
async def test_any_password_opens_the_role_it_was_given_to(desk, password):
    desk.secrets.put("chosen", password=password)
    ada = desk.resource("Role", "ada", privileges={"login": True})
    ada.wanted["passwordSecretRef"] = {"name": "chosen", "namespace": "default", "key": "password"}
    assert (await ada.reconcile()).differences == ()
    assert logs_in(desk, "ada", password)


async def test_a_password_as_the_server_itself_keeps_it_is_recognised(desk):
    desk.secrets.put("chosen", password="IX ª")
    ada = desk.resource("Role", "ada", privileges={"login": True})
    ada.wanted["passwordSecretRef"] = {"name": "chosen", "namespace": "default", "key": "password"}
    for way in ("scram-sha-256", "md5"):
        desk.sql("DROP ROLE IF EXISTS ada")
        desk.sql(f"SET password_encryption = '{way}'; CREATE ROLE ada LOGIN PASSWORD 'IX ª'; RESET password_encryption")
        await ada.reconcile()
        assert (await ada.look()).differences == (), way


async def test_no_plain_password_is_ever_sent(desk, postgres):
    kept = kept_form(Plaintext("open sesame")).reveal()
    assert kept.startswith(b"SCRAM-SHA-256$4096:")
    assert b"sesame" not in kept
    assert kept_form(Plaintext("open sesame")) != kept_form(Plaintext("open sesame"))


async def test_settings_of_sessions_are_made_so_and_others_are_reset(desk):
    asked = [
        {"name": "search_path", "value": '"$user", shop, public'},
        {"name": "work_mem", "value": "8MB"},
        {"name": "application_name", "value": "a, b = 'c'"},
        {"name": "shop.tenant", "value": "7"},
    ]
    ada = await desk.make("Role", "ada", privileges={"login": True}, configurationParameters=asked)
    assert (await ada.look()).differences == ()
    assert {each["name"] for each in ada.status["configurationParameters"]} == {each["name"] for each in asked}
    desk.sql("ALTER ROLE ada SET statement_timeout = '1min'")
    assert [each.path for each in (await ada.look()).differences] == ["configurationParameters"]
    assert (await ada.reconcile()).differences == ()
    ada.wanted["configurationParameters"] = []
    assert (await ada.reconcile()).differences == ()
    assert desk.sql("SELECT rolconfig FROM pg_roles WHERE rolname = 'ada'") == [(None,)]


async def test_settings_that_nobody_asks_for_are_nobodys_business(desk):
    ada = await desk.make("Role", "ada")
    desk.sql("ALTER ROLE ada SET work_mem = '8MB'")
    assert (await ada.look()).differences == ()


@pytest.mark.parametrize("name", ["work_mem = '1MB'; DROP ROLE postgres; --", 'x" TO 1; --'])
async def test_hostile_settings_are_only_names(desk, name):
    with pytest.raises((InvalidInput, Transient)):
        await desk.make("Role", "ada", configurationParameters=[{"name": name, "value": "'; DROP ROLE postgres; --"}])
    assert desk.sql("SELECT count(*) FROM pg_roles WHERE rolname = 'ada'") == [(0,)]


@pytest.mark.parametrize("named", HOSTILE)
async def test_a_hostile_name_is_only_a_name(desk, named):
    ada = await desk.make("Role", named, privileges={"login": True})
    assert desk.sql("SELECT count(*) FROM pg_roles WHERE rolname = %s", named) == [(1,)]
    ada.wanted["privileges"] = {"login": False}
    assert (await ada.reconcile()).differences == ()
    assert not (await ada.delete()).exists


@pytest.mark.parametrize(
    "wanted",
    [{"privileges": ["login"]}, {"configurationParameters": [{"value": "1"}]}, {"configurationParameters": {"a": "b"}}],
)
async def test_what_cannot_be_meant_is_refused(desk, wanted):
    with pytest.raises(InvalidInput):
        await desk.make("Role", "ada", **wanted)


async def test_a_role_that_still_owns_something_is_dropped_later(desk):
    ada = await desk.make("Role", "ada")
    shop = await desk.make("Database", "shop", owner="ada")
    with pytest.raises(Transient) as refused:
        await ada.delete()
    assert "shop" in refused.value.why
    await shop.delete()
    assert not (await ada.delete()).exists
    assert not (await ada.delete()).exists


async def test_who_may_not_see_passwords_goes_by_the_secrets(desk):
    """As with a managed server, whose administrator is no superuser."""
    desk.sql("CREATE ROLE clerk LOGIN CREATEROLE PASSWORD 'clerk'")
    desk.secrets.put("server", username="clerk", password="clerk")
    desk.config = desk.configured("2")
    desk.secrets.put("chosen", password="first")
    ada = published(desk, privileges={"login": True})
    ada.wanted["passwordSecretRef"] = {"name": "chosen", "namespace": "default", "key": "password"}
    await ada.reconcile()
    assert (await ada.look()).differences == ()
    desk.secrets.put("chosen", password="second")
    assert ada.published["password"] == "first"
    observed = await (await ada.external()).observe(ada.managed)
    assert [each.path for each in observed.differences] == ["password"]
    await (await ada.external()).update(ada.managed, observed)
    assert logs_in(desk, "ada", "second")
    with pytest.raises(Forbidden):
        await desk.make("Role", "boss", privileges={"superUser": True})


async def test_a_namespaced_role_publishes_into_its_own_namespace(desk):
    ada = desk.resource("Role", "ada", namespaced=True, privileges={"login": True})
    ada.spec = {"writeConnectionSecretToRef": {"name": "mine"}}
    await ada.reconcile()
    assert ada.status["lastPasswordChange"]
    assert (await ada.look()).differences == ()
    assert desk.secrets.contents["default", "mine"]["username"] == "ada"


async def test_a_role_goes_also_where_its_password_secret_is_gone(desk):
    desk.secrets.put("chosen", password="first")
    reference = {"name": "chosen", "namespace": "default", "key": "password"}
    ada = published(desk, privileges={"login": True}, passwordSecretRef=reference)
    await ada.reconcile()
    del desk.secrets.contents["default", "chosen"]
    with pytest.raises(NotFound):
        await ada.look()
    assert not (await ada.delete()).exists
    assert desk.sql("SELECT rolname FROM pg_roles WHERE rolname = 'ada'") == []


@pytest.mark.parametrize(
    "wanted",
    [{"passwordRotationTrigger": "soon"}, {"privileges": ["login"]}, {"configurationParameters": "none"}],
    ids=lambda wanted: next(iter(wanted)),
)
async def test_a_role_goes_whatever_its_manifest_says(desk, wanted):
    ada = published(desk, privileges={"login": True})
    await ada.reconcile()
    ada.wanted = wanted
    with pytest.raises(InvalidInput):
        await ada.look()
    assert not (await ada.delete()).exists
