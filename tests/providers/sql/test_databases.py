import pytest

from plumbline.base.errors import InvalidInput, Refused, Transient

HOSTILE = [
    'x"; DROP DATABASE postgres; --',
    "x'; DROP ROLE postgres; --",
    "x%s%(name)s",
    "{} {0} {name}",
    "Grüße, 世界",
    "a.b",
    "with space",
]


async def test_a_database_is_made_once_and_then_nothing_differs(desk):
    shop = desk.resource("Database", "shop")
    assert not (await shop.look()).exists
    observed = await shop.reconcile()
    assert observed.exists
    assert observed.state == "Available"
    await shop.reconcile()
    again = await shop.reconcile()
    assert again.differences == ()
    assert again.late == {}
    assert shop.writes == 1
    assert shop.wanted["owner"] == "postgres"
    assert shop.wanted["encoding"] == "UTF8"
    assert shop.wanted["connectionLimit"] == -1


async def test_what_is_asked_for_is_what_is_made(desk):
    await desk.make("Role", "ada")
    shop = await desk.make(
        "Database",
        "shop",
        owner="ada",
        template="template0",
        strategy="FILE_COPY",
        encoding="SQL_ASCII",
        lcCollate="C",
        lcCType="C",
        tablespace="pg_default",
        allowConnections=True,
        connectionLimit=7,
        isTemplate=False,
    )
    (found,) = desk.sql(
        "SELECT pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datconnlimit FROM pg_database WHERE datname = 'shop'"
    )
    assert found == ("ada", "SQL_ASCII", 7)
    assert (await shop.look()).differences == ()


@pytest.mark.parametrize("spelling", ["UTF8", "utf8", "UTF-8", "unicode", "6", "DEFAULT"])
async def test_an_encoding_may_be_spelled_in_many_ways(desk, spelling):
    shop = await desk.make("Database", "shop", encoding=spelling, template="template0")
    assert (await shop.look()).differences == ()
    assert shop.writes == 1


async def test_owner_limit_and_flags_change_in_place_and_back_again_when_somebody_else_changed_them(desk):
    await desk.make("Role", "ada")
    shop = await desk.make("Database", "shop")
    shop.wanted |= {"owner": "ada", "connectionLimit": 3, "isTemplate": True, "allowConnections": True}
    observed = await shop.look()
    assert {each.path for each in observed.differences} == {"owner", "connectionLimit", "isTemplate"}
    assert not any(each.replaces for each in observed.differences)
    assert (await shop.reconcile()).differences == ()
    desk.sql("ALTER DATABASE shop CONNECTION LIMIT 99")
    assert [(each.path, each.wanted, each.found) for each in (await shop.look()).differences] == [
        ("connectionLimit", 3, 99)
    ]
    assert (await shop.reconcile()).differences == ()


async def test_encoding_and_locale_never_change_in_place(desk):
    shop = await desk.make("Database", "shop")
    shop.wanted |= {"encoding": "LATIN1", "lcCollate": "de_DE"}
    observed = await shop.look()
    assert {(each.path, each.replaces) for each in observed.differences} == {("encoding", True), ("lcCollate", True)}
    await (await shop.external()).update(shop.managed, observed)
    assert desk.sql("SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = 'shop'") == [("UTF8",)]


async def test_a_database_is_dropped_and_then_gone_and_dropping_it_twice_is_no_error(desk):
    shop = await desk.make("Database", "shop")
    assert not (await shop.delete()).exists
    assert not (await shop.delete()).exists


async def test_creating_what_exists_is_as_if_it_had_just_been_made(desk):
    shop = await desk.make("Database", "shop")
    await (await shop.external()).create(shop.managed)
    assert desk.sql("SELECT count(*) FROM pg_database WHERE datname = 'shop'") == [(1,)]


async def test_what_would_be_lost_is_told_with_its_size_and_its_tables_only_when_it_is_about_to_go(desk):
    shop = await desk.make("Database", "shop")
    for table in ("orders", "customers"):
        desk.sql(f"CREATE TABLE {table} (id int)", database="shop")
    before = (await shop.look()).holds
    assert before.startswith("database, ")
    assert before.endswith("MB")
    shop.metadata = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    assert (await shop.look()).holds == f"{before}, 2 tables"


async def test_a_template_is_protected(desk):
    shop = await desk.make("Database", "shop", isTemplate=True)
    assert (await shop.look()).protected == "isTemplate is on"
    with pytest.raises(Refused) as refused:
        await shop.delete()
    assert "template" in refused.value.why


async def test_our_own_connections_are_never_what_keeps_a_database_from_being_dropped(desk):
    shop = await desk.make("Database", "shop")
    inside = await desk.make("Schema", "inside", database="shop")
    await inside.look()
    assert not (await shop.delete()).exists


@pytest.mark.parametrize("named", HOSTILE)
async def test_a_hostile_name_is_only_a_name(desk, named):
    before = desk.sql("SELECT count(*) FROM pg_database")[0][0]
    shop = await desk.make("Database", named)
    assert desk.sql("SELECT count(*) FROM pg_database WHERE datname = %s", named) == [(1,)]
    assert desk.sql("SELECT count(*) FROM pg_database") == [(before + 1,)]
    shop.wanted["connectionLimit"] = 2
    assert (await shop.reconcile()).differences == ()
    assert not (await shop.delete()).exists


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("template", 'template1" OWNER "x'),
        ("encoding", "UTF8' OWNER x --"),
        ("owner", "nobody; --"),
        ("tablespace", "no such"),
    ],
)
async def test_hostile_values_are_only_values(desk, field, value):
    with pytest.raises((Transient, InvalidInput)):
        await desk.make("Database", "shop", **{field: value})
    assert desk.sql("SELECT count(*) FROM pg_database WHERE datname = 'shop'") == [(0,)]


@pytest.mark.parametrize(("name", "wanted"), [("", {}), ("a\0b", {}), ("shop", {"strategy": "FAST; --"})])
async def test_what_cannot_be_said_is_not_sent(desk, name, wanted):
    shop = desk.resource("Database", name, **wanted)
    with pytest.raises(InvalidInput):
        await (await shop.external()).create(shop.managed)


async def test_what_init_provider_says_counts_at_creation_only(desk):
    shop = desk.resource("Database", "shop", connectionLimit=5)
    shop.initial = {"connectionLimit": 9, "isTemplate": False, "template": "template0"}
    await shop.reconcile()
    assert desk.sql("SELECT datconnlimit FROM pg_database WHERE datname = 'shop'") == [(5,)]
    assert (await shop.look()).differences == ()


@pytest.mark.parametrize("kind", ["Database", "Role"])
async def test_a_name_that_the_server_would_cut_short_is_refused_and_never_that_of_another(desk, kind):
    shared = "orders-" * 9
    made = await desk.make(kind, shared)
    long = desk.resource(kind, f"{shared}x")
    with pytest.raises(InvalidInput) as refused:
        await long.reconcile()
    assert "63 bytes" in refused.value.why
    long.metadata = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    assert not (await long.look()).exists, "the other one is called the same as far as the server would read"
    assert (await made.look()).exists
    with pytest.raises(InvalidInput):
        await desk.make(kind, "é" * 32)
