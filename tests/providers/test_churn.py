"""ProviderConfigs that come and go: what is kept of them is bounded, and what one of them does keeps no other one waiting."""

import asyncio

from plumbline.base.plaintext import Plaintext
from plumbline.kube.client.transport import Request, Response
from plumbline.kube.names import Ref
from plumbline.managed.external import Config
from plumbline.providers.aws import Clients
from plumbline.providers.aws import clients as aws_clients
from plumbline.providers.rest import accounts
from plumbline.providers.rest.accounts import Kept
from plumbline.providers.rest.connections import Opened

INI = Plaintext("[default]\naws_access_key_id = A\naws_secret_access_key = B\n")


class Secrets:
    def __init__(self):
        self.gate = asyncio.Event()
        self.gate.set()

    async def read(self, key):
        await self.gate.wait()
        return INI


def config(name, version="1", secrets=None):
    said = {"credentials": {"source": "Secret", "secretRef": {"name": "creds", "key": "k"}}}
    return Config(Ref("aws.m.upbound.io", "ProviderConfig", "shop", name), said, secrets or Secrets(), version)


class Account:
    def __init__(self):
        self.closed = False

    async def close(self):
        self.closed = True


async def test_accounts_of_configs_that_come_and_go_are_not_all_kept(monkeypatch):
    monkeypatch.setattr(accounts, "_ACCOUNTS", 3)
    made = []

    async def make(_):
        made.append(Account())
        return made[-1]

    kept = Kept(make)
    for index in range(3):
        await kept.of(config(f"c{index}"))
    await kept.of(config("c0"))
    await kept.of(config("c3"))
    assert [each.closed for each in made] == [False, True, False, False], "who was not used for longest"
    await kept.close()
    assert all(each.closed for each in made)


async def test_an_account_that_two_ask_for_at_once_is_made_once_and_none_is_left_open():
    made = []

    async def make(_):
        made.append(Account())
        await asyncio.sleep(0.01)
        return made[-1]

    kept = Kept(make)
    found = await asyncio.gather(*(kept.of(config("c")) for _ in range(5)))
    await kept.close()
    assert all(each.closed for each in made)
    assert len(set(map(id, found))) == 1


async def test_an_account_that_takes_long_keeps_no_other_one_waiting():
    slow = asyncio.Event()

    async def make(asked):
        if asked.ref.name == "slow":
            await slow.wait()
        return Account()

    kept = Kept(make)
    waiting = asyncio.create_task(kept.of(config("slow")))
    await asyncio.sleep(0)
    await asyncio.wait_for(kept.of(config("other")), 1)
    slow.set()
    await waiting
    await kept.close()


async def test_sessions_of_aws_of_configs_that_come_and_go_are_not_all_kept(monkeypatch):
    monkeypatch.setattr(aws_clients, "_SESSIONS", 3)
    clients = Clients()
    for index in range(6):
        await clients.account(config(f"c{index}"), "us-east-1")
    assert [ref.name for ref in clients._sessions] == ["c3", "c4", "c5"]
    await clients.close()


async def test_a_session_of_aws_that_takes_long_keeps_no_other_one_waiting():
    clients, slow = Clients(), Secrets()
    slow.gate.clear()
    waiting = asyncio.create_task(clients.account(config("slow", secrets=slow), "us-east-1"))
    await asyncio.sleep(0.05)
    await asyncio.wait_for(clients.account(config("other"), "us-east-1"), 5)
    slow.gate.set()
    await waiting
    await clients.close()


async def test_calls_under_way_end_before_the_connections_of_a_changed_config_do():
    """A creation that is broken off may have been made, and nobody would know."""
    answers = asyncio.Event()

    class Slow(Account):
        async def send(self, request):
            await answers.wait()
            assert not self.closed
            return Response(200, {}, b"made")

    slow = Slow()
    opened = Opened(lambda base, credentials: slow)
    calls = [asyncio.create_task(opened.connect("https://x", None).send(Request("POST", "/"))) for _ in range(2)]
    await asyncio.sleep(0)
    await opened.close()
    assert not slow.closed
    answers.set()
    assert [(await call).body for call in calls] == [b"made", b"made"]
    assert slow.closed
