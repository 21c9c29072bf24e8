"""Schemas, extensions and default privileges, which are in a database."""

import pytest

from plumbline.base.errors import InvalidInput, Refused, Transient


@pytest.fixture
async def shop(desk):
    for role in ("ada", "bob"):
        await desk.make("Role", role)
    await desk.make("Database", "shop")
    return desk


async def test_a_schema_lives_and_goes(shop):
    sales = shop.resource("Schema", "sales", database="shop")
    assert not (await sales.look()).exists
    assert (await sales.reconcile()).differences == ()
    assert (await sales.reconcile()).late == {"role": "postgres"}
    assert sales.writes == 1
    await (await sales.external()).create(sales.managed)
    sales.wanted["role"] = "ada"
    assert [each.path for each in (await sales.look()).differences] == ["role"]
    assert (await sales.reconcile()).differences == ()
    shop.sql("ALTER SCHEMA sales OWNER TO bob", database="shop")
    assert (await sales.reconcile()).differences == ()
    assert not (await sales.delete()).exists
    assert not (await sales.delete()).exists


async def test_a_schema_is_made_for_its_role_and_closes_the_public_one(shop):
    sales = await shop.make("Schema", "sales", database="shop", role="ada", revokePublicOnSchema=True)
    assert sales.status == {"role": "ada"}
    assert shop.sql("SELECT has_schema_privilege('bob', 'public', 'USAGE')", database="shop") == [(False,)]
    shop.sql("GRANT USAGE ON SCHEMA public TO PUBLIC", database="shop")
    assert [each.path for each in (await sales.look()).differences] == ["revokePublicOnSchema"]
    assert (await sales.reconcile()).differences == ()


async def test_a_schema_with_tables_is_dropped_only_where_that_was_said(shop):
    sales = await shop.make("Schema", "sales", database="shop")
    shop.sql("CREATE TABLE sales.orders (id int)", database="shop")
    assert (await sales.look()).holds == "schema, 1 table"
    with pytest.raises(Transient) as refused:
        await sales.delete()
    assert "sales.orders" in refused.value.why
    assert (await sales.look()).protected == "it has 1 table, and dropBehavior is RESTRICT"
    sales.wanted["dropBehavior"] = "CASCADE"
    assert (await sales.look()).protected == ""
    assert not (await sales.delete()).exists


async def test_a_schema_needs_a_database_that_may_be_made_meanwhile(shop):
    with pytest.raises(InvalidInput):
        await shop.make("Schema", "sales")
    late = shop.resource("Schema", "sales", database="later")
    assert not (await late.look()).exists
    with pytest.raises(Transient):
        await late.reconcile()
    shop.sql("CREATE DATABASE later ALLOW_CONNECTIONS false")
    with pytest.raises(Transient) as closed:
        await late.look()
    assert "no connections" in closed.value.why
    with pytest.raises(InvalidInput):
        await shop.resource("Schema", "sales", database="shop", dropBehavior="NOW; --").delete()


async def test_an_extension_lives_and_goes(shop):
    vector = shop.resource("Extension", "any-name", extension="vector", database="shop")
    assert not (await vector.look()).exists
    assert (await vector.reconcile()).differences == ()
    await vector.reconcile()
    assert vector.writes == 1
    newest, older = vector.wanted["version"], "0.8.1"
    shop.sql("UPDATE pg_extension SET extversion = %s WHERE extname = 'vector'", older, database="shop")
    shop.sql("CREATE SCHEMA extensions", database="shop")
    vector.wanted["schema"] = "extensions"
    assert {each.path for each in (await vector.look()).differences} == {"version", "schema"}
    assert (await vector.reconcile()).differences == ()
    assert vector.status == {"version": newest, "schema": "extensions"}
    vector.wanted["version"] = "0.7.0"
    with pytest.raises(Refused):
        await vector.reconcile()
    assert not (await vector.delete()).exists
    assert not (await vector.delete()).exists


async def test_an_extension_is_installed_where_it_was_asked_for(shop):
    shop.sql("CREATE SCHEMA extensions", database="shop")
    vector = await shop.make("Extension", "v", extension="vector", database="shop", schema="extensions")
    assert (await vector.reconcile()).late == {"version": vector.wanted["version"]}
    assert vector.status["schema"] == "extensions"
    with pytest.raises(Refused):
        await shop.make("Extension", "x", extension='nothing"; --', database="shop")


@pytest.mark.parametrize(
    ("kind", "schema", "privileges", "more"),
    [
        ("table", "sales", ["SELECT"], ["SELECT", "INSERT"]),
        ("table", "sales", ["ALL"], ["SELECT"]),
        ("sequence", "sales", ["USAGE"], ["ALL"]),
        ("function", "sales", ["EXECUTE"], ["ALL PRIVILEGES"]),
        ("type", "sales", ["USAGE"], ["ALL"]),
        ("schema", "", ["USAGE"], ["USAGE", "CREATE"]),
    ],
)
async def test_default_privileges_live_and_go(shop, kind, schema, privileges, more):
    shop.sql("CREATE SCHEMA sales", database="shop")
    wanted = {"role": "ada", "targetRole": "bob", "objectType": kind, "privileges": privileges, "database": "shop"}
    defaults = shop.resource("DefaultPrivileges", "d", **wanted, **({"schema": schema} if schema else {}))
    assert not (await defaults.look()).exists
    assert (await defaults.reconcile()).differences == ()
    await defaults.reconcile()
    assert defaults.writes == 1
    defaults.wanted |= {"privileges": more, "withOption": "GRANT"}
    assert [each.path for each in (await defaults.look()).differences] == ["privileges"]
    assert (await defaults.reconcile()).differences == ()
    if schema:
        shop.sql(
            f"ALTER DEFAULT PRIVILEGES FOR ROLE bob IN SCHEMA sales REVOKE GRANT OPTION FOR ALL ON {kind}S FROM ada",
            database="shop",
        )
        assert (await defaults.look()).differences != ()
        assert (await defaults.reconcile()).differences == ()
    assert not (await defaults.delete()).exists
    assert not (await defaults.delete()).exists


async def test_default_privileges_of_another_role_or_schema_are_none_of_these(shop):
    shop.sql("CREATE SCHEMA sales; CREATE SCHEMA other", database="shop")
    common = {"role": "ada", "objectType": "table", "privileges": ["SELECT"], "database": "shop"}
    await shop.make("DefaultPrivileges", "d", targetRole="bob", schema="sales", **common)
    assert not (await shop.resource("DefaultPrivileges", "e", targetRole="bob", schema="other", **common).look()).exists
    assert not (await shop.resource("DefaultPrivileges", "f", targetRole="ada", schema="sales", **common).look()).exists


@pytest.mark.parametrize(
    "wanted",
    [
        {"objectType": "view", "schema": "s"},
        {"objectType": "table"},
        {"objectType": "schema", "schema": "s"},
        {"schema": "s"},
        {"objectType": "table", "schema": "s", "targetRole": ""},
        {"objectType": "table", "schema": "s", "privileges": []},
        {"objectType": "table", "schema": "s", "privileges": ["SELECT; --"]},
    ],
)
async def test_default_privileges_that_cannot_be_meant_are_refused(desk, wanted):
    with pytest.raises(InvalidInput):
        await desk.make(
            "DefaultPrivileges", "d", **({"role": "ada", "targetRole": "bob", "privileges": ["SELECT"]} | wanted)
        )
