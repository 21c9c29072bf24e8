"""Accounts: listed, given passwords and tokens, by who may."""

import pytest
from tests.access.places import CONFIG
from tests.access.test_sessions import PROJECT
from tests.web.session.desk import desk

from plumbline.access.passwords import verified
from plumbline.base.plaintext import Plaintext

ACCOUNT = "/api/v1/account"
OLD, NEW = "correct horse", "battery staple"


async def test_everybody_sees_themselves_and_those_that_they_may():
    async with desk() as web:
        await web.login("alice")
        me = {"name": "alice", "enabled": True, "capabilities": ["login", "apiKey"]}
        assert (await web.browse("GET", ACCOUNT)).json == {"items": [me]}
        assert (await web.browse("GET", f"{ACCOUNT}/alice")).json == me
        for name in ("admin", "nobody"):
            answer = await web.browse("GET", f"{ACCOUNT}/{name}")
            assert (answer.status, answer.json["code"]) == (403, 7), "whether it is there is not told"
        web.decider.allowed.add(("alice", "accounts", "get", "robot"))
        assert [each["name"] for each in (await web.browse("GET", ACCOUNT)).json["items"]] == ["alice", "robot"]
        await web.login("admin")
        assert [each["name"] for each in (await web.browse("GET", ACCOUNT)).json["items"]] == [
            "admin",
            "alice",
            "robot",
        ]
        assert (await web.browse("GET", f"{ACCOUNT}/nobody")).status == 404


async def test_nobody_in_particular_sees_nothing():
    async with desk(config={**CONFIG, "users.anonymous.enabled": "true"}) as web:
        assert (await web.ask("GET", ACCOUNT)).json == {}
        assert (
            await web.ask("PUT", f"{ACCOUNT}/password", {"newPassword": NEW}, origin="http://localhost")
        ).status == 403


@pytest.mark.parametrize("path", ["x/y", "alice/token/a/b", "can-i/x", "can-i", ""])
async def test_paths_that_lead_nowhere(path):
    async with desk() as web:
        await web.login()
        assert (await web.browse("DELETE", f"{ACCOUNT}/{path}")).status == 404
    async with desk() as web:
        assert (await web.ask("GET", f"{ACCOUNT}/{path}")).status == 401


async def test_a_token_is_made_used_listed_and_removed():
    async with desk() as web:
        await web.login()
        made = await web.browse("POST", f"{ACCOUNT}/robot/token", {"id": "ci", "expiresIn": 60})
        now_s = int(web.home.clock.now().timestamp())
        token = made.json["token"]
        told = (await web.ask("GET", f"{ACCOUNT}/robot", authorization=f"Bearer {token}")).json
        assert told["tokens"] == [{"id": "ci", "issuedAt": now_s, "expiresAt": now_s + 60}]
        assert (await web.secret_of("robot")) == f'[{{"id":"ci","iat":{now_s},"exp":{now_s + 60}}}]'
        again = await web.browse("POST", f"{ACCOUNT}/robot/token", {"id": "ci"})
        assert again.status == 409
        assert (await web.browse("DELETE", f"{ACCOUNT}/robot/token/ci")).json == {}
        assert (await web.ask("GET", f"{ACCOUNT}/robot", authorization=f"Bearer {token}")).status == 401
        assert (await web.browse("DELETE", f"{ACCOUNT}/robot/token/ci")).status == 404
        verbs = [(entry.kind, entry.verb) for entry in await web.entries() if entry.kind != "login"]
        assert {("intended", "create-token"), ("performed", "create-token"), ("failed", "create-token")} <= set(verbs)
        assert token not in str(await web.entries())


@pytest.mark.parametrize(
    ("name", "body", "status", "why"),
    [
        ("admin", {}, 400, "an account that has none"),
        ("nobody", {}, 404, "an account that there is not"),
        ("robot", {"id": "x/y"}, 400, "an id that is a path"),
        ("robot", {"id": "x\ny"}, 400, "an id that is two lines"),
        ("robot", {"id": "x" * 129}, 400, "an id that is too long"),
        ("robot", {"expiresIn": -1}, 400, "before it begins"),
        ("robot", {"expiresIn": "60"}, 200, "a number as text"),
    ],
)
async def test_tokens_that_are_not_made(name, body, status, why):
    async with desk() as web:
        await web.login()
        assert (await web.browse("POST", f"{ACCOUNT}/{name}/token", body)).status == status, why


async def test_there_are_so_many_tokens_and_no_more(monkeypatch):
    monkeypatch.setattr("plumbline.web.session.accounts._MOST_TOKENS", 2)
    async with desk() as web:
        await web.login()
        made = [(await web.browse("POST", f"{ACCOUNT}/robot/token", {})).status for _ in range(3)]
        assert made == [200, 200, 400]


async def test_tokens_of_others_need_a_permission():
    async with desk() as web:
        await web.login("alice")
        assert (await web.browse("POST", f"{ACCOUNT}/alice/token", {})).status == 200
        assert (await web.browse("POST", f"{ACCOUNT}/robot/token", {})).status == 403
        assert (await web.browse("DELETE", f"{ACCOUNT}/robot/token/x")).status == 403


async def test_a_password_is_changed_and_who_did_it_goes_on():
    async with desk() as web:
        before = await web.login("alice")
        answer = await web.browse("PUT", f"{ACCOUNT}/password", {"newPassword": NEW, "currentPassword": OLD})
        assert (answer.status, answer.json) == (200, {})
        assert web.cookies["argocd.token"] != before
        assert (await web.browse("GET", f"{ACCOUNT}/alice")).status == 200
        assert (await web.ask("GET", f"{ACCOUNT}/alice", authorization=f"Bearer {before}")).status == 401
        stored = (await web.home.secret())["accounts.alice.password"]
        assert stored.startswith("$argon2id$")
        assert verified(Plaintext(NEW), Plaintext(stored))
        await web.login("alice", NEW)
        said = str(await web.entries())
        assert "Set the password of alice" in said
        assert NEW not in said
        assert OLD not in said


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        ({"newPassword": NEW, "currentPassword": "wrong"}, 400, "the wrong one"),
        ({"newPassword": NEW}, 400, "none"),
        ({"newPassword": "short", "currentPassword": OLD}, 400, "too short"),
        ({"newPassword": OLD, "currentPassword": OLD}, 400, "the same"),
        ({"newPassword": NEW, "currentPassword": OLD, "name": "admin"}, 403, "somebody else's"),
        ({"newPassword": NEW, "currentPassword": OLD, "name": "nobody"}, 403, "nobody's"),
    ],
)
async def test_passwords_that_are_not_changed(body, status, why):
    async with desk() as web:
        await web.login("alice")
        answer = await web.browse("PUT", f"{ACCOUNT}/password", body)
        assert answer.status == status, why
        assert NEW not in answer.text
        assert (await web.home.secret())["accounts.alice.password"].startswith("$2b$")


async def test_an_administrator_changes_those_of_others_with_their_own():
    async with desk() as web:
        await web.login()
        body = {"newPassword": NEW, "currentPassword": OLD, "name": "alice"}
        answer = await web.browse("PUT", f"{ACCOUNT}/password", body)
        assert (answer.status, answer.cookies) == (200, {})
        assert (await web.browse("PUT", f"{ACCOUNT}/password", {**body, "name": "nobody"})).status == 404
        await web.login("alice", NEW)


async def test_guessing_the_current_password_counts_as_guessing():
    async with desk() as web:
        await web.login("alice")
        for _ in range(5):
            await web.browse("PUT", f"{ACCOUNT}/password", {"newPassword": NEW, "currentPassword": "x"})
        answer = await web.browse("PUT", f"{ACCOUNT}/password", {"newPassword": NEW, "currentPassword": OLD})
        assert answer.status == 400


async def test_a_project_role_has_no_password():
    async with desk(projects={"shop": PROJECT}) as web:
        token = web.home.sessions.issued("proj:shop:ci", 60, "known")[0]
        answer = await web.ask("PUT", f"{ACCOUNT}/password", {"newPassword": NEW}, authorization=f"Bearer {token}")
        assert answer.status == 400


@pytest.mark.parametrize(
    ("path", "asked", "why"),
    [
        ("applications/sync/shop/cart", ("applications", "sync", "shop/cart"), "as it is written"),
        ("applications/sync/shop/default/cart", ("applications", "sync", "shop/cart"), "in our own namespace"),
        ("applications/sync/shop/other/cart", ("applications", "sync", "shop/other/cart"), "in another"),
        ("accounts/update/a/default/c", ("accounts", "update", "a/default/c"), "no project before it"),
        ("clusters/get/https://1.2.3.4", ("clusters", "get", "https://1.2.3.4"), "an address"),
        ("projects/get/", ("projects", "get", ""), "nothing in particular"),
    ],
)
async def test_what_one_may_do_is_told_with_the_line_that_says_so(path, asked, why):
    async with desk() as web:
        await web.login("alice")
        answer = await web.browse("GET", f"{ACCOUNT}/can-i/{path}")
        assert answer.json == {"value": "no", "line": "p, x", "why": "because"}
        assert web.decider.asked[-1] == ("alice", *asked), why
        web.decider.allowed.add(("alice", *asked))
        assert (await web.browse("GET", f"{ACCOUNT}/can-i/{path}")).json["value"] == "yes"


@pytest.mark.parametrize("path", ["pods/get/x", "applications/eat/x"])
async def test_questions_that_make_no_sense_are_told_what_does(path):
    async with desk() as web:
        await web.login()
        answer = await web.browse("GET", f"{ACCOUNT}/can-i/{path}")
        assert (answer.status, answer.json["code"]) == (400, 3)
        assert "does not contain" in answer.json["message"]
