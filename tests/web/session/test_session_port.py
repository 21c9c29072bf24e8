"""In, out, and who one is: as Argo CD's clients and pages ask it."""

import asyncio
import contextlib

import pytest
from tests.access.places import CONFIG
from tests.web.session.desk import ORIGIN, desk

from plumbline.base.errors import Forbidden, StorageFailed, Unauthenticated, Unreachable
from plumbline.base.log import recorded
from plumbline.web.requests import Request, Response, text
from plumbline.web.routes import Route, Routes
from plumbline.web.session.askers import LOOK_S

SESSION, WHO = "/api/v1/session", "/api/v1/session/userinfo"
RIGHT = {"username": "admin", "password": "correct horse"}


async def test_a_login_gives_a_token_and_a_cookie_with_it():
    async with desk() as web:
        answer = await web.ask("POST", SESSION, RIGHT)
        assert answer.status == 200
        token = answer.json["token"]
        assert answer.cookies == {"argocd.token": token}
        assert answer.flags["argocd.token"] == ["Path=/", "SameSite=Strict", "HttpOnly"]
        told = {"loggedIn": True, "username": "admin", "iss": "argocd"}
        assert (await web.ask("GET", WHO, authorization=f"Bearer {token}")).json == told
        assert (await web.ask("GET", WHO, cookie=f"argocd.token={token}")).json == told


async def test_over_tls_the_cookie_stays_there():
    async with desk(config={**CONFIG, "url": "https://localhost"}) as web:
        assert "Secure" in (await web.ask("POST", SESSION, RIGHT)).flags["argocd.token"]


async def test_logins_are_counted_as_upstream_counts_them():
    async with desk() as web:
        await web.ask("POST", SESSION, RIGHT)
        for refused in (
            {**RIGHT, "password": "wrong"},
            {"username": "nobody", "password": "x"},
            {"token": "x"},
            {},
            b"{",
        ):
            assert (await web.ask("POST", SESSION, refused)).status >= 400
        await web.ask("DELETE", SESSION)
        assert web.logins() == {"success": 1, "failure": 5}


@pytest.mark.parametrize(
    ("body", "status", "message", "why"),
    [
        ({"username": "admin", "password": "wrong"}, 401, "Invalid username or password", "wrong"),
        ({"username": "nobody", "password": "wrong"}, 401, "Invalid username or password", "nobody"),
        ({"username": "admin"}, 401, "no credentials supplied", "no password"),
        ({}, 401, "no credentials supplied", "nothing"),
        ({"token": "x"}, 401, "token-based session creation is not supported", "as long ago"),
        ({"username": "x" * 33, "password": "x"}, 400, "Username is too long (32 bytes max)", "too long"),
    ],
)
async def test_refusals_are_in_argos_words(body, status, message, why):
    async with desk() as web:
        answer = await web.ask("POST", SESSION, body)
        assert answer.status == status, why
        assert answer.json == {"error": message, "code": 16 if status == 401 else 3, "message": message}
        assert not answer.cookies


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"username":"admin"', "application/json", 400),
        (b"[" * 60_000, "application/json", 400),
        (b'{"username":["admin"],"password":"x"}', "application/json", 400),
        (b"[]", "application/json", 400),
        (b"x" * 70_000, "application/json", 413),
        (b'{"username":"admin","password":"correct horse"}', "text/plain", 415),
        (b"username=admin&password=correct+horse", "application/x-www-form-urlencoded", 415),
        (b'{"username":"admin","password":"correct horse"}', "", 415),
    ],
)
async def test_bodies_that_are_none_are_refused_and_never_quoted(body, kind, status):
    async with desk() as web:
        answer = await web.ask("POST", SESSION, body, content_type=kind, content_length=str(len(body)))
        assert answer.status == status
        assert "horse" not in answer.text


async def test_who_is_nobody_is_told_so_and_not_refused():
    async with desk() as web:
        for headers in (
            {},
            {"authorization": "Bearer a.b.c"},
            {"cookie": "argocd.token=x"},
            {"authorization": "Basic eA=="},
        ):
            answer = await web.ask("GET", WHO, **headers)
            assert (answer.status, answer.json) == (200, {})


async def test_logging_out_ends_the_session_and_the_cookie():
    async with desk() as web:
        token = await web.login()
        answer = await web.browse("DELETE", SESSION)
        assert (answer.status, answer.json, web.cookies) == (200, {"token": ""}, {})
        assert (await web.ask("GET", WHO, authorization=f"Bearer {token}")).json == {}
        assert (await web.browse("DELETE", SESSION)).status == 200, "once more does no harm"


TRICKS = [
    ({"content-type": "text/plain"}, 415, "what a form can send"),
    ({"content-type": "multipart/form-data; boundary=x"}, 415, "another form"),
    ({"content-type": ""}, 415, "nothing said"),
    ({"origin": ""}, 403, "no origin"),
    ({"origin": "null"}, 403, "a page that hides"),
    ({"origin": "http://evil.example"}, 403, "a page of somebody else"),
    ({"origin": "http://localhost:3000"}, 403, "a page on another port"),
    ({"sec-fetch-site": "same-site"}, 403, "a sibling of ours"),
]


@pytest.mark.parametrize(("headers", "status", "why"), TRICKS, ids=[why for *_, why in TRICKS])
async def test_a_page_of_others_cannot_use_a_cookie_to_change_anything(headers, status, why):
    async with desk() as web:
        token = await web.login()
        answer = await web.browse("DELETE", SESSION, **headers)
        assert answer.status == status, why
        assert (await web.ask("GET", WHO, authorization=f"Bearer {token}")).json["loggedIn"]
        made = await web.browse("POST", "/api/v1/account/alice/token", {}, **headers)
        assert made.status == status, why


async def test_with_a_token_in_the_header_nothing_more_is_needed():
    async with desk() as web:
        token = await web.login()
        made = await web.ask("POST", "/api/v1/account/alice/token", authorization=f"Bearer {token}")
        assert made.status == 200


async def test_a_token_in_the_header_counts_before_a_cookie():
    async with desk() as web:
        await web.login("admin")
        other = (await web.ask("POST", SESSION, {**RIGHT, "username": "alice"})).json["token"]
        assert (await web.browse("GET", WHO, authorization=f"bearer {other}")).json["username"] == "alice"


async def test_what_strangers_say_about_themselves_is_not_listened_to():
    async with desk() as web:
        said = {
            "x_forwarded_user": "admin",
            "x_webauth_user": "admin",
            "x_forwarded_for": "127.0.0.1",
            "x_forwarded_proto": "https",
        }
        assert (await web.ask("GET", WHO, peer="8.8.8.8", **said)).json == {}
        answer = await web.ask("POST", SESSION, RIGHT, peer="8.8.8.8", **said)
        assert "Secure" not in answer.flags["argocd.token"]
        assert (await web.entries())[-1].effect == {"from": "8.8.8.8"}


class Part:
    """Answers with who asked."""

    def __init__(self, web):
        self.web = web
        self.routes = (Route("/it", frozenset({"GET", "POST"}), web.askers.asked(self.serve)),)

    async def serve(self, request, asker):
        return text(200, f"{asker.name} {asker.anonymous} {asker.issuer} {asker.session is None}")


@contextlib.asynccontextmanager
async def with_part(**settings):
    async with desk(**settings) as web:
        web.application._routes = Routes([*(r for part in web.parts for r in part.routes), *Part(web).routes])
        yield web


async def test_parts_are_told_who_asks():
    async with with_part() as web:
        assert (await web.ask("GET", "/it")).status == 401
        await web.login("alice")
        assert (await web.browse("GET", "/it")).text == "alice False argocd False"
        assert (await web.browse("POST", "/it", {})).status == 200
        assert (await web.ask("POST", "/it", {}, cookie=f"argocd.token={web.cookies['argocd.token']}")).status == 403


async def test_anonymous_is_who_says_nothing_and_nobody_else():
    async with with_part(config={**CONFIG, "users.anonymous.enabled": "true"}) as web:
        assert (await web.ask("GET", "/it")).text == " True  True"
        token = await web.login("alice")
        assert (await web.browse("GET", "/it")).text.startswith("alice False")
        assert (await web.ask("GET", WHO)).json == {}
        await web.home.set(**{"accounts.alice.enabled": "false"})
        for headers in (
            {"authorization": f"Bearer {token}"},
            {"authorization": "Bearer x.y.z"},
            {"cookie": "argocd.token=x"},
        ):
            assert (await web.ask("GET", "/it", **headers)).status == 401


async def test_somebody_who_stays_is_not_logged_out():
    async with with_part() as web:
        await web.login()
        assert not (await web.browse("GET", "/it")).cookies
        web.home.clock.move(86_400 - 200)
        answer = await web.browse("GET", "/it")
        assert answer.cookies["argocd.token"]
        web.home.clock.move(10_000)
        assert (await web.browse("GET", "/it")).status == 200


async def test_a_part_that_sets_cookies_itself_keeps_them():
    async with with_part() as web:

        async def serve(request, asker):
            return Response(200, headers=(("Set-Cookie", "mine=1"),))

        web.application._routes = Routes(
            [Route("/mine", frozenset({"GET"}), web.askers.asked(serve)), *web.parts[0].routes]
        )
        await web.login()
        web.home.clock.move(86_400 - 200)
        assert list((await web.browse("GET", "/mine")).cookies) == ["mine"]


def request_of(web, method="GET", **headers):
    cookie = "; ".join(f"{name}={value}" for name, value in web.cookies.items())
    named = [(k.encode(), v.encode()) for k, v in {"host": "localhost", "cookie": cookie, **headers}.items()]
    return Request({"method": method, "path": "/", "headers": named, "query_string": b"", "client": None}, None)


async def test_who_asks_can_be_asked_for_by_itself():
    async with desk() as web:
        with pytest.raises(Unauthenticated):
            await web.askers.asker(request_of(web))
        await web.login()
        assert (await web.askers.asker(request_of(web))).name == "admin"
        with pytest.raises(Forbidden):
            await web.askers.asker(request_of(web, "POST"))
        said = {"origin": ORIGIN, "content-type": "application/json; charset=utf-8"}
        assert (await web.askers.asker(request_of(web, "POST", **said))).name == "admin"


async def waiting():
    yield b"first"
    await asyncio.Event().wait()


@pytest.mark.parametrize("end", ["revoked", "expired", "disabled", "anonymous no more"])
async def test_a_stream_ends_soon_after_the_session_though_nothing_comes(end):
    async with desk(config={**CONFIG, "users.anonymous.enabled": "true"}) as web:
        if end != "anonymous no more":
            await web.login("alice")
        asker = await web.askers.asker(request_of(web))
        got = []

        async def reading():
            async with contextlib.aclosing(web.askers.while_valid(asker, waiting())) as stream:
                got.extend([piece async for piece in stream])

        running = asyncio.get_running_loop().create_task(web.parts[0].run())
        read = asyncio.get_running_loop().create_task(reading())
        await looked(web)
        assert not read.done()
        if end == "revoked":
            await web.browse("DELETE", SESSION)
        elif end == "disabled":
            await web.home.set(**{"accounts.alice.enabled": "false"})
        elif end == "expired":
            web.home.clock.move(86_400)
        else:
            await web.home.set(**{"users.anonymous.enabled": "false"})
        await looked(web)
        with pytest.raises(asyncio.CancelledError):
            await read
        assert not web.askers._streaming
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


async def looked(web):
    assert LOOK_S <= 30 / 2
    for _ in range(3):
        await asyncio.sleep(0.005)
        web.home.clock.move(LOOK_S)
    await asyncio.sleep(0.005)


async def test_a_stream_goes_on_while_it_cannot_be_asked(monkeypatch):
    async with desk() as web:
        await web.login()
        asker = await web.askers.asker(request_of(web))

        async def unknown(_):
            raise Unreachable("gone")

        monkeypatch.setattr(web.askers.sessions, "still_valid", unknown)
        running = asyncio.get_running_loop().create_task(web.parts[0].run())
        stream = web.askers.while_valid(asker, waiting())
        assert await anext(stream) == b"first"
        with recorded() as lines:
            await looked(web)
        assert lines
        await stream.aclose()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


async def test_the_journal_knows_who_came_went_and_failed_and_no_password():
    async with desk() as web:
        await web.login("alice")
        await web.browse("DELETE", SESSION)
        for _ in range(3):
            await web.ask("POST", SESSION, {"username": "admin", "password": "hunter-two"})
        for number in range(5):
            await web.ask("POST", SESSION, {"username": f"hunter-{number}", "password": "x"})
        web.home.clock.move(61)
        await web.ask("POST", SESSION, {"username": "hunter-9", "password": "x"})
        entries = await web.entries()
        told = [(entry.kind, str(entry.actor), entry.verb, entry.summary) for entry in reversed(entries)]
        told = sorted(told) if told[0][2] != "login" else told
        assert ("login", "person:alice", "login", "alice logged in by password") in told
        assert ("login", "person:alice", "logout", "alice logged out") in told
        assert sum(entry.summary == "Somebody failed to log in as admin" for entry in entries) == 3
        strangers = [entry.summary for entry in entries if "unknown names" in entry.summary]
        assert sorted(strangers) == ["Failed to log in with unknown names: 1", "Failed to log in with unknown names: 5"]
        assert not any("hunter" in str(entry) for entry in entries)


async def test_whoever_goes_on_guessing_does_not_fill_the_journal():
    async with desk() as web:
        for _ in range(60):
            answer = await web.ask("POST", SESSION, {"username": "admin", "password": "hunter-two"})
            assert answer.status == 401
        told = [entry.summary for entry in await web.entries() if "admin" in entry.summary]
        assert 5 <= len(told) <= 20, "as many as are looked at, and a few more"
        web.home.clock.move(61)
        await web.ask("POST", SESSION, {"username": "admin", "password": "hunter-two"})
        more = [entry.summary for entry in await web.entries() if "more before" in entry.summary]
        assert len(more) == 1, "how many were left out is told"


async def test_a_journal_that_cannot_be_written_keeps_nobody_out(monkeypatch):
    async with desk() as web:

        async def full(*_):
            raise StorageFailed("the disk is full")

        monkeypatch.setattr(web.journal, "append", full)
        with recorded() as lines:
            await web.login()
        assert [line["event"] for line in lines] == ["login not journalled"]
