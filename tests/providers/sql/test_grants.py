import pytest

from plumbline.base.errors import InvalidInput, Transient

from .desk import Desk

SETUP = """
CREATE SCHEMA sales;
CREATE TABLE sales.orders (id int, note text, "Odd""Name" int);
CREATE TABLE sales.items (id int);
CREATE VIEW sales.open AS SELECT * FROM sales.orders;
CREATE SEQUENCE sales.numbers;
CREATE FUNCTION sales.price(int, text) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION sales.price() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION sales.mean(double precision, text[]) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FOREIGN DATA WRAPPER files;
CREATE SERVER far FOREIGN DATA WRAPPER files;
"""
GRANTS = [
    ({"database": "mall", "privileges": ["CONNECT", "TEMP"]}, "database", ["CREATE", "CONNECT"]),
    ({"database": "mall", "privileges": ["ALL"]}, "database, all", ["CONNECT"]),
    ({"database": "mall", "schema": "sales", "privileges": ["USAGE"]}, "schema", ["ALL PRIVILEGES"]),
    (
        {"database": "mall", "schema": "sales", "tables": ["orders", "items"], "privileges": ["SELECT"]},
        "tables",
        ["ALL"],
    ),
    (
        {"database": "mall", "schema": "sales", "tables": ["open"], "privileges": ["SELECT"]},
        "view",
        ["INSERT", "SELECT"],
    ),
    (
        {
            "database": "mall",
            "schema": "sales",
            "tables": ["orders"],
            "columns": ["id", 'Odd"Name'],
            "privileges": ["SELECT"],
        },
        "columns",
        ["SELECT", "UPDATE"],
    ),
    ({"database": "mall", "schema": "sales", "sequences": ["numbers"], "privileges": ["ALL"]}, "sequences", ["USAGE"]),
    (
        {
            "database": "mall",
            "schema": "sales",
            "routines": [
                {"name": "price", "args": ["integer", "text"]},
                {"name": "price"},
                {"name": "mean", "args": ["double precision", "text[]"]},
            ],
            "privileges": ["EXECUTE"],
        },
        "routines",
        ["ALL"],
    ),
    ({"database": "mall", "foreignServers": ["far"], "privileges": ["USAGE"]}, "foreign servers", ["ALL"]),
    ({"database": "mall", "foreignDataWrappers": ["files"], "privileges": ["USAGE"]}, "foreign data wrappers", ["ALL"]),
]


async def furnish(desk, database="shop", roles=("ada", "bob")):
    for role in roles:
        await desk.make("Role", role, privileges={"login": True})
    await desk.make("Database", database)
    desk.sql(SETUP, database=database)


@pytest.fixture
async def shop(desk):
    """A database of one's own."""
    await furnish(desk)
    return desk


@pytest.fixture
async def mall(postgres, servers):
    """A database that tests share, and leave as they found it."""
    made = Desk(postgres, servers)
    if not made.sql("SELECT 1 FROM pg_database WHERE datname = 'mall'"):
        await furnish(made, "mall", ("mia", "max"))
    return made


@pytest.mark.parametrize(("wanted", "why", "changed"), GRANTS, ids=[why for _, why, _ in GRANTS])
async def test_a_grant_lives_and_goes(mall, wanted, why, changed):
    grant = mall.resource("Grant", "g", role="mia", **wanted)
    assert not (await grant.look()).exists
    assert (await grant.reconcile()).differences == ()
    await grant.reconcile()
    assert grant.writes == 1, why
    grant.wanted["privileges"] = changed
    assert (await grant.reconcile()).differences == ()
    grant.wanted["withOption"] = "GRANT"
    assert [each.path for each in (await grant.look()).differences] == ["withOption"]
    assert (await grant.reconcile()).differences == ()
    del grant.wanted["withOption"]
    assert [each.path for each in (await grant.look()).differences] == ["withOption"]
    assert (await grant.reconcile()).differences == ()
    assert not (await grant.delete()).exists
    assert not (await grant.delete()).exists


async def test_a_grant_does_what_it_says(shop):
    password = (await shop.make("Role", "eve", privileges={"login": True})).published["password"]
    for name, wanted in {
        "use": {"privileges": ["USAGE"]},
        "read": {"tables": ["items"], "privileges": ["SELECT"]},
    }.items():
        await shop.make("Grant", name, role="eve", database="shop", schema="sales", **wanted)
    assert shop.sql("SELECT * FROM sales.items", database="shop", user="eve", password=password) == []


async def test_privileges_that_somebody_took_away_are_given_back(shop):
    grant = await shop.make("Grant", "g", role="ada", database="shop", schema="sales", tables=["orders", "items"], privileges=["SELECT", "INSERT"])  # fmt: skip
    shop.sql("REVOKE INSERT ON sales.items FROM ada", database="shop")
    (difference,) = (await grant.look()).differences
    assert difference.path == "privileges"
    assert set(difference.wanted) - set(difference.found) == {"INSERT on items"}
    assert (await grant.reconcile()).differences == ()


async def test_two_grants_on_the_same_table_leave_each_other_alone(shop):
    common = {"role": "ada", "database": "shop", "schema": "sales", "tables": ["orders"]}
    reading = await shop.make("Grant", "reading", privileges=["SELECT"], **common)
    writing = await shop.make("Grant", "writing", privileges=["INSERT"], **common)
    assert (await reading.look()).differences == (await writing.look()).differences == ()
    assert not (await writing.delete()).exists
    assert (await reading.look()).exists


async def test_what_is_taken_out_of_a_grant_is_taken_from_the_role(shop):
    grant = await shop.make("Grant", "g", role="ada", database="shop", schema="sales", tables=["orders", "items"], privileges=["SELECT", "INSERT"])  # fmt: skip
    await grant.reconcile()
    grant.wanted |= {"tables": ["orders"], "privileges": ["SELECT"]}
    (difference,) = (await grant.look()).differences
    assert set(difference.found) - set(difference.wanted) == {"INSERT on items", "INSERT on orders", "SELECT on items"}
    assert (await grant.reconcile()).differences == ()
    assert grant.status["granted"]["tables"] == ["orders"]
    held = "SELECT has_table_privilege('ada', 'sales.items', 'SELECT'), has_table_privilege('ada', 'sales.orders', 'SELECT, INSERT')"
    assert shop.sql(held, database="shop") == [(False, True)]
    assert shop.sql("SELECT has_table_privilege('ada', 'sales.orders', 'INSERT')", database="shop") == [(False,)]


async def test_a_grant_to_another_role_is_taken_from_the_first(shop):
    grant = await shop.make("Grant", "g", role="ada", database="shop", privileges=["CREATE"])
    await grant.reconcile()
    grant.wanted["role"] = "bob"
    await grant.reconcile()
    assert (await grant.reconcile()).differences == ()
    may = "SELECT has_database_privilege('ada', 'shop', 'CREATE'), has_database_privilege('bob', 'shop', 'CREATE')"
    assert shop.sql(may) == [(False, True)]


async def test_a_status_that_somebody_broke_says_nothing(shop):
    grant = await shop.make("Grant", "g", role="ada", database="shop", privileges=["CREATE"])
    grant.status = {"granted": {"database": "shop", "privileges": ["NONSENSE"]}}
    assert (await grant.look()).differences == ()
    assert not (await grant.delete()).exists


async def test_everybody_can_be_kept_out_of_a_database(shop):
    grant = shop.resource("Grant", "g", role="ada", database="shop", privileges=["CONNECT"], revokePublicOnDb=True)
    assert (await grant.reconcile()).differences == ()
    assert shop.sql("SELECT has_database_privilege('bob', 'shop', 'CONNECT')") == [(False,)]
    shop.sql("GRANT CONNECT ON DATABASE shop TO PUBLIC")
    assert [each.path for each in (await grant.look()).differences] == ["revokePublicOnDb"]
    assert (await grant.reconcile()).differences == ()


async def membership(desk, member, group, *, inherits):
    grant = desk.resource("Grant", "g", role=member, memberOf=group)
    assert (await grant.reconcile()).differences == ()
    grant.wanted["withOption"] = "ADMIN"
    assert [each.path for each in (await grant.look()).differences] == ["withOption"]
    assert (await grant.reconcile()).differences == ()
    del grant.wanted["withOption"]
    assert (await grant.reconcile()).differences == ()
    if inherits:
        grant.wanted["withInherit"] = False
        assert [each.path for each in (await grant.look()).differences] == ["withInherit"]
        assert (await grant.reconcile()).differences == ()
        assert desk.sql("SELECT pg_has_role(%s, %s, 'USAGE')", member, group) == [(False,)]
        grant.wanted["withInherit"] = True
        assert (await grant.reconcile()).differences == ()
    assert desk.sql("SELECT pg_has_role(%s, %s, 'USAGE')", member, group) == [(True,)]
    assert not (await grant.delete()).exists


async def test_a_role_becomes_a_member_of_another(mall):
    await membership(mall, "mia", "max", inherits=True)


async def test_older_servers_know_less_and_are_asked_for_less(older_postgres, servers):
    desk = Desk(older_postgres, servers)
    await furnish(desk)
    await membership(desk, "ada", "bob", inherits=desk.servers._servers[desk.config.ref][1].version >= 160000)
    everything = await desk.make("Grant", "all", role="ada", database="shop", schema="sales", tables=["orders"], privileges=["ALL"])  # fmt: skip
    assert (await everything.look()).differences == ()
    assert not (await everything.delete()).exists
    if desk.servers._servers[desk.config.ref][1].version < 160000:
        with pytest.raises(InvalidInput):
            await desk.make("Grant", "g", role="ada", memberOf="bob", withInherit=False)
    await desk.clear()


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"role": "ada"}, "grants nothing"),
        ({"role": "ada", "database": "shop"}, "no privileges"),
        ({"role": "ada", "memberOf": "bob", "privileges": ["SELECT"]}, "a membership has no privileges"),
        ({"role": "ada", "memberOf": "bob", "database": "shop"}, "either or"),
        ({"role": "ada", "database": "shop", "tables": ["t"], "privileges": ["SELECT"]}, "tables of which schema?"),
        ({"database": "shop", "privileges": ["CONNECT"]}, "to whom?"),
        ({"role": "ada", "database": "shop", "privileges": ["CONNECT ON DATABASE postgres TO PUBLIC; --"]}, "hostile"),
        (
            {"role": "ada", "database": "shop", "privileges": ["ALL ON DATABASE SHOP TO PUBLIC"]},
            "hostile within the pattern",
        ),
        ({"role": "ada", "database": "shop", "privileges": ["CONNECT"], "withOption": "ADMIN"}, "wrong option"),
        ({"role": "ada", "memberOf": "bob", "withOption": "GRANT"}, "wrong option"),
        ({"role": "ada", "database": "shop", "privileges": ["CONNECT"], "withInherit": True}, "nothing to inherit"),
        ({"role": "ada", "database": "shop", "schema": "sales", "routines": [{}], "privileges": ["ALL"]}, "no name"),
        ({"role": "ada", "database": "shop", "schema": "sales", "tables": "orders", "privileges": ["ALL"]}, "no list"),
        ({"role": 7, "database": "shop", "privileges": ["ALL"]}, "no text"),
    ],
)
async def test_what_cannot_be_meant_is_refused_before_anything_is_sent(desk, wanted, why):
    with pytest.raises(InvalidInput):
        await desk.resource("Grant", "g", **wanted).look()


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"role": "nobody", "database": "mall", "privileges": ["CONNECT"]}, "the role may come"),
        ({"role": "mia", "database": "nowhere", "schema": "s", "privileges": ["USAGE"]}, "so may the database"),
        ({"role": "mia", "database": "mall", "schema": "none", "privileges": ["USAGE"]}, "and the schema"),
        ({"role": "mia", "database": "mall", "schema": "sales", "tables": ["x"], "privileges": ["SELECT"]}, "a table"),
        ({"role": "mia", "database": "mall", "schema": "sales", "routines": [{"name": "price", "args": ["date"]}], "privileges": ["ALL"]}, "a routine"),
        ({"role": "mia", "memberOf": "nobody"}, "a role"),
    ],
)  # fmt: skip
async def test_what_is_missing_may_be_made_meanwhile(mall, wanted, why):
    grant = mall.resource("Grant", "g", **wanted)
    assert not (await grant.look()).exists
    with pytest.raises(Transient):
        await grant.reconcile()


async def test_a_grant_in_a_database_that_is_gone_is_gone(shop):
    grant = await shop.make("Grant", "g", role="ada", database="shop", schema="sales", privileges=["USAGE"])
    shop.sql("DROP DATABASE shop WITH (FORCE)")
    assert not (await grant.look()).exists


async def test_a_grant_of_which_a_table_is_gone_can_still_be_revoked(shop):
    grant = await shop.make("Grant", "g", role="ada", database="shop", schema="sales", tables=["orders", "items"], privileges=["SELECT"])  # fmt: skip
    shop.sql("DROP TABLE sales.items", database="shop")
    assert not (await grant.delete()).exists


async def test_hostile_names_are_only_names(shop):
    table = 'x" TO ada; DROP TABLE sales.items; --'
    shop.sql('CREATE TABLE sales."x"" TO ada; DROP TABLE sales.items; --" (id int)', database="shop")
    grant = await shop.make("Grant", "g", role="ada", database="shop", schema="sales", tables=[table], privileges=["SELECT"])  # fmt: skip
    assert (await grant.look()).differences == ()
    assert not (await grant.delete()).exists
    assert shop.sql("SELECT count(*) FROM sales.items", database="shop") == [(0,)]
    routine = shop.resource("Grant", "r", role="ada", database="shop", schema="sales", privileges=["EXECUTE"])
    routine.wanted["routines"] = [{"name": "price", "args": ["int); DROP TABLE sales.items; --"]}]
    with pytest.raises((InvalidInput, Transient)):
        await routine.reconcile()
    assert shop.sql("SELECT count(*) FROM sales.items", database="shop") == [(0,)]
