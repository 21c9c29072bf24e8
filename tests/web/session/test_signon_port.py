"""Through a browser: to the identity provider and back, out again, and in by a link."""

import contextlib
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.access.oidc.identity import CLIENT, HIDDEN, identity
from tests.access.places import CONFIG, Hands
from tests.web.session.desk import desk

from plumbline.base.log import recorded

WHO = "/api/v1/session/userinfo"


@contextlib.asynccontextmanager
async def signing_on(more="", **settings):
    clock = Hands()
    async with identity(clock) as idp:
        text = f"issuer: {idp.url}\nclientID: {CLIENT}\nclientSecret: '{HIDDEN}'\n{more}"
        async with desk(config={**CONFIG, "oidc.config": text, **settings}, clock=clock) as web:
            yield web, idp


async def there_and_back(web, idp, page=""):
    away = await web.browse("GET", f"/auth/login?return_url={page}")
    assert away.status == 303, away.text
    return await web.browse("GET", f"/auth/callback?{idp.authorize(away.headers['location'])}")


async def test_there_and_back_is_logged_in():
    async with signing_on() as (web, idp):
        back = await there_and_back(web, idp, "/applications")
        assert (back.status, back.headers["location"]) == (303, "/applications")
        assert "SameSite=Strict" in back.flags["argocd.token"]
        assert list(web.cookies) == ["argocd.token"], "what was kept meanwhile is forgotten"
        told = (await web.browse("GET", WHO)).json
        assert told == {"loggedIn": True, "username": "eve@example.com", "iss": idp.url, "groups": ["devs", "ops"]}
        assert (await web.entries())[-1].summary == "eve@example.com logged in by sso"
        assert web.logins() == {"success": 1}
        await web.browse("GET", "/auth/callback?error=access_denied")
        assert (await web.browse("GET", "/auth/link?token=guessed")).status >= 400
        assert web.logins() == {"success": 1, "failure": 2}


async def test_what_is_kept_meanwhile_comes_back_from_another_site_and_tells_nothing():
    async with signing_on() as (web, idp):
        away = await web.browse("GET", "/auth/login")
        assert away.flags["argocd.oauthstate"] == ["Path=/", "SameSite=Lax", "HttpOnly", "Max-Age=300"]
        state = parse_qs(urlsplit(away.headers["location"]).query)["state"][0]
        assert state not in away.cookies["argocd.oauthstate"]
        assert idp.asked == ["discovery"]


async def test_a_token_too_long_for_one_cookie_comes_in_pieces():
    async with signing_on() as (web, idp):
        idp.claims["groups"] = [f"group-{number}" for number in range(1000)]
        await there_and_back(web, idp)
        assert "argocd.token-1" in web.cookies
        assert len((await web.browse("GET", WHO)).json["groups"]) == 1000
        await web.browse("DELETE", "/api/v1/session")
        assert web.cookies == {}


async def test_groups_from_userinfo_are_kept_beside():
    async with signing_on("enableUserInfoGroups: true\nuserInfoPath: /userinfo") as (web, idp):
        await there_and_back(web, idp)
        assert (await web.browse("GET", WHO)).json["groups"] == ["from-userinfo"]
        await web.browse("GET", "/auth/logout")
        assert web.cookies == {}


@pytest.mark.parametrize("page", ["//evil.example", "https://evil.example", "/%5Cevil.example", "javascript:alert(1)"])
async def test_nobody_is_sent_elsewhere(page):
    async with signing_on() as (web, _):
        answer = await web.browse("GET", f"/auth/login?return_url={page}")
        assert (answer.status, "location" in answer.headers) == (400, False)


async def test_people_come_back_to_the_address_that_they_came_by():
    settings = {"url": "https://cd.example", "additionalUrls": "[http://localhost/argo]"}
    async with signing_on(**settings) as (web, _):
        for host, redirect in (
            ("cd.example", "https://cd.example/auth/callback"),
            ("localhost", "http://localhost/argo/auth/callback"),
            ("other.example", "https://cd.example/auth/callback"),
        ):
            away = await web.ask("GET", "/auth/login?return_url=https://cd.example/x", host=host)
            assert parse_qs(urlsplit(away.headers["location"]).query)["redirect_uri"] == [redirect]


async def test_a_callback_that_nobody_began_is_refused_in_words():
    async with signing_on() as (web, idp):
        answer = await web.browse("GET", "/auth/callback?code=x&state=y")
        assert answer.status == 401
        assert answer.headers["content-type"].startswith("text/plain")
        assert "/auth/login" in answer.text
        assert "token" not in idp.asked


async def test_a_login_is_finished_once_whatever_a_browser_keeps():
    async with signing_on() as (web, idp):
        away = await web.browse("GET", "/auth/login")
        kept = dict(web.cookies)
        query = idp.authorize(away.headers["location"])
        assert (await web.browse("GET", f"/auth/callback?{query}")).status == 303
        web.cookies = kept
        assert (await web.browse("GET", f"/auth/callback?{query}")).status == 401


async def test_what_the_provider_says_went_wrong_is_shown_as_text():
    async with signing_on() as (web, _):
        answer = await web.browse("GET", "/auth/callback?error=%3Cscript%3E&error_description=no%0Asuch")
        assert answer.status == 400
        assert answer.headers["content-type"].startswith("text/plain")
        assert "\\n" in answer.text


async def test_a_provider_that_is_away_is_said_so():
    async with signing_on() as (web, idp):
        idp.about = {"issuer": "https://other.example"}
        with recorded():
            answer = await web.browse("GET", "/auth/login")
        assert answer.status == 503
        assert "issuer" in answer.text


async def test_without_single_sign_on_it_says_what_to_do():
    async with desk(config={**CONFIG, "dex.config": "connectors: []"}) as web:
        with recorded():
            answer = await web.browse("GET", "/auth/login")
        assert answer.status == 400
        assert "oidc.config" in answer.text


async def test_logging_out_goes_on_to_the_provider():
    more = "logoutURL: https://idp.example/out?hint={{token}}&back={{logoutRedirectURL}}"
    async with signing_on(more) as (web, idp):
        await there_and_back(web, idp)
        token = web.cookies["argocd.token"]
        answer = await web.browse("GET", "/auth/logout")
        assert answer.headers["location"] == f"https://idp.example/out?hint={token}&back=http://localhost"
        assert web.cookies == {}
        assert (await web.ask("GET", WHO, authorization=f"Bearer {token}")).json == {}


async def test_logging_out_an_account_shows_the_login_page():
    async with desk() as web:
        await web.login()
        answer = await web.browse("GET", "/auth/logout")
        assert (answer.status, answer.headers["location"], web.cookies) == (303, "http://localhost/login", {})


async def test_a_page_of_others_cannot_log_somebody_out():
    async with desk() as web:
        await web.login()
        assert (await web.browse("GET", "/auth/logout", sec_fetch_site="cross-site")).status == 403
        assert (await web.browse("GET", WHO)).json["loggedIn"]


async def test_a_link_logs_in_once_and_on_this_machine():
    async with desk() as web:
        link = f"/auth/link?token={web.home.sessions.link().reveal().decode()}"
        assert (await web.ask("GET", link, peer="8.8.8.8")).status == 403
        assert (await web.ask("GET", link, x_forwarded_for="127.0.0.1")).status == 403
        answer = await web.browse("GET", link)
        assert (answer.status, answer.headers["location"]) == (303, "/")
        assert (await web.browse("GET", WHO)).json["username"] == "admin"
        assert (await web.ask("GET", link)).status == 401
        assert (await web.ask("GET", "/auth/link")).status == 401
        assert (await web.entries())[-1].summary == "admin logged in by link"


async def test_somebody_from_elsewhere_may_set_a_password_here_shortly_after_they_came():
    async with signing_on() as (web, idp):
        await there_and_back(web, idp)
        body = {"newPassword": "battery staple", "name": "alice"}
        assert (await web.browse("PUT", "/api/v1/account/password", body)).status == 403
        web.decider.allowed.add(("u-1", "accounts", "update", "alice"))
        assert (await web.browse("PUT", "/api/v1/account/password", body)).status == 200
        web.home.clock.move(301)
        assert (await web.browse("PUT", "/api/v1/account/password", body)).status == 403
