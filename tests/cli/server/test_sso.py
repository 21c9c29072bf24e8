"""Single sign-on from a command line, at a provider that the tests start."""

import asyncio
from urllib.parse import parse_qs, urlencode, urlsplit

import aiohttp
import pytest
from tests.access.oidc.identity import CLIENT, identity

from plumbline.base.clock import SystemClock
from plumbline.base.errors import InvalidInput, TimedOut, Unauthenticated
from plumbline.cli.server.sso import Way, by_browser


class Server:
    server = "cd.example.org"

    def __init__(self, **config):
        self.config = config

    async def get(self, *path):
        assert path == ("settings",)
        return {"oidcConfig": self.config} if self.config else {}


class Browser:
    """Goes to the provider, and comes back with whatever *change* makes of it."""

    def __init__(self, provider, change=None, before=()):
        self.provider, self.change, self.before = provider, change or (lambda query: query), before
        self.pages = []
        self.tasks = []

    def __call__(self, url):
        self.tasks.append(asyncio.get_running_loop().create_task(self.browse(url)))
        return True

    async def browse(self, url):
        asked = {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}
        query = {key: values[0] for key, values in parse_qs(self.provider.authorize(url)).items()}
        assert asked["redirect_uri"].startswith("http://localhost:")
        base = asked["redirect_uri"].replace("localhost", "127.0.0.1")
        async with aiohttp.ClientSession() as session:
            for stray in (*self.before, f"{base}?{urlencode(self.change(query))}"):
                async with session.get(stray.replace("BASE", base)) as page:
                    self.pages.append((page.status, await page.text()))


async def test_the_token_of_the_provider_is_the_login():
    async with identity(SystemClock()) as provider:
        browser = Browser(provider, before=("BASE/elsewhere", "BASE?state=made-up&code=x"))
        config = {"issuer": provider.url, "clientID": "other", "cliClientID": CLIENT, "scopes": ["openid"]}
        token = await by_browser(Way(0, "", browser, 10))(Server(**config))
        await asyncio.gather(*browser.tasks)
        assert token.count(".") == 2
        assert [status for status, _ in browser.pages] == [404, 400, 200]
        assert "logged in" in browser.pages[-1][1]


async def test_a_refusal_of_the_provider_ends_it(capsys):
    async with identity(SystemClock()) as provider:
        browser = Browser(provider, lambda query: {"state": query["state"], "error": "access_denied"})
        with pytest.raises(Unauthenticated) as refused:
            await by_browser(Way(0, "", browser, 10))(Server(issuer=provider.url, clientID=CLIENT))
        await asyncio.gather(*browser.tasks)
        assert refused.value.why == "access_denied"
        with pytest.raises(TimedOut):
            await by_browser(Way(0, "", None, 0.05))(Server(issuer=provider.url, clientID=CLIENT))
        assert f"{provider.url}/authorize?" in capsys.readouterr().err


async def test_a_server_without_it_says_so():
    with pytest.raises(InvalidInput):
        await by_browser(Way(0))(Server())


async def test_a_port_that_is_taken_is_told():
    taken = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    async with taken, identity(SystemClock()) as provider:
        port = taken.sockets[0].getsockname()[1]
        with pytest.raises(InvalidInput) as refused:
            await by_browser(Way(port))(Server(issuer=provider.url, clientID=CLIENT))
        assert "--sso-port" in refused.value.hint
