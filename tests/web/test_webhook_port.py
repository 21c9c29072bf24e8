"""Webhooks over HTTP: answered at once, bounded, and never handed on more often than anybody could care."""

import asyncio

import pytest
from tests.base.http.talking import request
from tests.forge.webhooks import senders
from tests.forge.webhooks.senders import NEW, sent, signed
from tests.web.ports import opened, until

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import Throttled
from plumbline.base.json import encode
from plumbline.base.log import recorded
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.forge.webhooks import Push, Secrets
from plumbline.web import Webhooks, WebhookSettings, webhooks
from plumbline.web.bounds import Held, Rate
from plumbline.web.inbox import Inbox

PATH = "/api/webhook"
MIB = 1 << 20


class Listener:
    """Notes pushes; while `closed`, it is busy with the first of them."""

    def __init__(self):
        self.pushes = []
        self.open = asyncio.Event()
        self.open.set()

    async def __call__(self, push):
        self.pushes.append(push)
        await self.open.wait()


def part(listener, secrets=None, limit_bytes=MIB):
    current = WebhookSettings(secrets=secrets or Secrets(), limit_bytes=limit_bytes)
    return Webhooks(listener, lambda: current, VirtualClock())


def headers(name):
    return {key.replace("-", "_"): value for key, value in sent(name)[0].items()}


async def post(port, name="github", payload=None, **more):
    return await port.ask("POST", PATH, sent(name, payload)[1], **{**headers(name), **more})


async def test_a_push_is_handed_on():
    listener = Listener()
    async with opened(part(listener)) as port:
        reply = await post(port)
        assert (reply.status, reply.json) == (200, {"message": "Accepted"})
        await until(lambda: listener.pushes)
    assert [(push.ref, push.after) for push in listener.pushes] == [("refs/heads/main", NEW)]


async def test_the_sender_is_answered_though_nobody_has_looked_yet():
    listener = Listener()
    listener.open.clear()
    async with opened(part(listener)) as port:
        for _ in range(3):
            assert (await post(port)).status == 200
        listener.open.set()


async def test_a_flood_of_the_same_push_is_looked_at_twice_at_most():
    listener = Listener()
    listener.open.clear()
    async with opened(part(listener)) as port:
        talks = [await port.connect() for _ in range(20)]
        for _ in range(25):
            replies = await asyncio.gather(
                *(talk.ask("POST", PATH, sent("github")[1], **headers("github")) for talk in talks)
            )
            assert {reply.status for reply in replies} == {200}
        assert len(listener.pushes) == 1
        listener.open.set()
        await until(lambda: len(listener.pushes) == 2)
        await asyncio.sleep(0.05)
    assert len(listener.pushes) == 2


async def test_a_replay_of_a_signed_webhook_does_nothing_but_look_again():
    listener = Listener()
    secrets = Secrets(github=Plaintext("key"))
    async with opened(part(listener, secrets)) as port:
        signature = signed(sent("github")[1], b"key")
        for _ in range(2):
            assert (await post(port, X_Hub_Signature_256=signature)).status == 200
        await until(lambda: listener.pushes)
    assert {push.after for push in listener.pushes} == {NEW}


async def test_pushes_of_one_ref_that_wait_become_one():
    listener = Listener()
    listener.open.clear()
    inbox = Inbox(listener)
    inbox.put(Push(("u",), "other"))
    async with task_group() as tasks:
        running = tasks.create_task(inbox.run())
        await until(lambda: listener.pushes)
        inbox.put(Push(("u",), "r", "a", "b", frozenset({"x"})))
        inbox.put(Push(("u",), "r", "b", "c", frozenset({"y"})))
        inbox.put(Push(("u",), "s"))
        listener.open.set()
        await until(lambda: len(listener.pushes) == 3)
        running.cancel()
    assert listener.pushes[1] == Push(("u",), "r", "a", "c", frozenset({"x", "y"}))


async def test_one_push_that_nobody_can_cope_with_does_not_stop_the_next():
    seen = []

    async def crash(push):
        seen.append(push.ref)
        raise RuntimeError("a bug")

    with recorded() as lines:
        async with opened(part(crash)) as port:
            assert (await post(port)).status == 200
            assert (await post(port, payload=senders.github(ref="refs/heads/b"))).status == 200
            await until(lambda: len(seen) == 2)
    assert [line["event"] for line in lines].count("push lost") == 2


async def test_too_many_different_pushes_are_turned_away():
    inbox = Inbox(Listener(), most=2)
    inbox.put(Push(("a",), "r"))
    inbox.put(Push(("b",), "r"))
    inbox.put(Push(("a",), "r"))
    with pytest.raises(Throttled):
        inbox.put(Push(("c",), "r"))


@pytest.mark.parametrize(
    ("headers", "body", "status", "code", "why"),
    [
        ({"X_GitHub_Event": "push"}, encode(senders.github()), 401, 16, "no signature"),
        (
            {"X_GitHub_Event": "push", "X_Hub_Signature_256": "sha256=00"},
            encode(senders.github()),
            401,
            16,
            "a wrong one",
        ),
        ({"X_Gogs_Event": "push"}, encode(senders.gogs()), 200, None, "no secret for that sender"),
        ({}, b"{}", 400, 3, "nobody that we know"),
        ({"X_Gitlab_Event": "Push Hook"}, b"{", 400, 3, "not JSON"),
        ({"X_Gitlab_Event": "Push Hook"}, b"[" * 500_000, 400, 3, "too deep"),
        ({"X_Gitlab_Event": "Note Hook"}, b"{}", 200, None, "nothing to do"),
        ({"X_Gitlab_Event": "Push Hook"}, b" " * (MIB + 1), 413, 8, "too large"),
    ],
)
async def test_what_is_wrong_with_a_webhook_is_said(headers, body, status, code, why):
    async with opened(part(Listener(), Secrets(github=Plaintext("key")))) as port:
        reply = await port.ask("POST", PATH, body, **headers)
        assert (reply.status, reply.json.get("code")) == (status, code), why


async def test_the_limit_is_never_above_fifty_megabytes():
    async with opened(part(Listener(), limit_bytes=1 << 40)) as port:
        talk = await port.connect()
        await talk.send(request("POST", PATH, b"{", Content_Length=str(51 * MIB)))
        reply = await talk.reply()
        assert (reply.status, "under 50 MB" in reply.json["message"]) == (413, True)
        assert await talk.ended()


async def test_a_body_that_comes_in_chunks_is_bounded_too():
    async with opened(part(Listener())) as port:
        talk = await port.connect()
        await talk.send(request("POST", PATH, Transfer_Encoding="chunked"))
        for _ in range(2):
            await talk.send(b"%x\r\n%b\r\n" % (MIB, b" " * MIB))
        assert (await talk.reply()).status == 413


async def test_a_large_payload_is_read_like_any_other():
    listener = Listener()
    async with opened(part(listener)) as port:
        assert (await post(port, payload=senders.github(filler="x" * 500_000))).status == 200
        await until(lambda: listener.pushes)


async def test_a_body_that_trickles_in_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(webhooks, "BODY_S", 0.05)
    async with opened(part(Listener())) as port:
        talk = await port.connect()
        await talk.send(request("POST", PATH, b"{", Content_Length="100"))
        assert (await talk.reply()).status == 408


async def test_who_sends_too_many_is_told_to_wait(monkeypatch):
    monkeypatch.setattr(webhooks, "_BURST", 3)
    async with opened(part(Listener())) as port:
        replies = [await post(port) for _ in range(5)]
    assert [reply.status for reply in replies] == [200, 200, 200, 429, 429]
    assert replies[-1].headers["retry-after"] == "1"


async def test_the_rate_recovers_with_time():
    clock = VirtualClock()
    rate = Rate(clock, per_s=2, burst=2)
    rate.take()
    rate.take()
    with pytest.raises(Throttled):
        rate.take()
    await clock.advance(0.5)
    rate.take()
    with pytest.raises(Throttled):
        rate.take()
    await clock.advance(100)
    rate.take()
    rate.take()
    with pytest.raises(Throttled):
        rate.take()


def test_large_bodies_give_way_to_small_ones():
    held = Held(limit_bytes=100, most=10)
    with held.share() as large:
        large.add(99)
        with held.share() as small:
            small.add(10)
            small.add(10)
            with pytest.raises(Throttled):
                large.add(1)
    assert held.total_bytes == 0


def test_only_so_many_bodies_are_read_at_once():
    held = Held(limit_bytes=100, most=1)
    with held.share(), pytest.raises(Throttled), held.share():
        pass
    with held.share():
        pass


async def test_secrets_may_change_while_the_port_is_open():
    current = [WebhookSettings()]
    async with opened(Webhooks(Listener(), lambda: current[0], VirtualClock())) as port:
        assert (await post(port)).status == 200
        current[0] = WebhookSettings(secrets=Secrets(github=Plaintext("key")))
        assert (await post(port)).status == 401


async def test_pushes_that_we_know_of_by_ourselves_take_the_same_way():
    listener = Listener()
    webhook = part(listener)
    async with opened(webhook):
        webhook.tell(Push(("u",), "r"))
        await until(lambda: listener.pushes == [Push(("u",), "r")])


async def test_another_method_is_not_taken():
    async with opened(part(Listener())) as port:
        assert (await port.ask("GET", PATH)).status == 405
