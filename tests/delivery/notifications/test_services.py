"""Messages reach Slack and webhooks as these want them, and what goes wrong is told without secrets."""

import asyncio
import socket
from datetime import UTC, datetime
from urllib.parse import parse_qs

import pytest
from tests.delivery.notifications.receivers import receiving

from plumbline.base.errors import (
    EvaluationFailed,
    Forbidden,
    GarbledReply,
    InvalidInput,
    LimitExceeded,
    NotFound,
    Refused,
    ServerFault,
    Throttled,
    TimedOut,
    Unreachable,
)
from plumbline.base.ids import Ids
from plumbline.delivery.notifications.configuration import Configuration, Service, read_configuration
from plumbline.delivery.notifications.messages import Message, Messages, Request, Slack
from plumbline.delivery.notifications.services import Senders
from plumbline.delivery.notifications.services.outbound import Call, Outbound, checked_url
from plumbline.delivery.notifications.services.slack import SlackService, Thread, Threads
from plumbline.delivery.notifications.services.webhook import WebhookService
from plumbline.delivery.notifications.subscriptions import Destination
from plumbline.delivery.notifications.variables import for_template, variables
from plumbline.gotemplate import Surroundings

OPS = Destination("slack", "ops")
OK = (200, b'{"ok": true, "ts": "1.5", "channel": "C1"}', {})
TOKEN = "xoxb-very-secret"


class Waits:
    """A clock that only remembers for how long people wanted to sleep."""

    def __init__(self):
        self.slept = []

    async def sleep(self, delay_s):
        self.slept.append(delay_s)


def slack(received, threads=None, **options):
    return SlackService({"token": TOKEN, "apiURL": f"{received.url}/api/", **options}, Outbound(), threads or Threads())


def hook(received, waits=None, **options):
    return WebhookService({"url": f"{received.url}/base/", **options}, Outbound(), waits or Waits(), Ids(1))


def form(received, at=-1):
    return {name: values[0] for name, values in parse_qs(received.requests[at][3]).items()}


async def test_slack_gets_a_form_and_the_token_in_a_header():
    async with receiving(OK) as received:
        message = Message("hi", Slack(attachments='[{"a": 1}]', blocks=" ", icon=":wave:"))
        await slack(received, username="bot", disableUnfurl=True).send(message, OPS)
    method, path, headers, body = received.requests[0]
    assert (method, path, headers["Authorization"]) == ("POST", "/api/chat.postMessage", f"Bearer {TOKEN}")
    assert TOKEN not in body
    assert form(received) == {
        "channel": "ops", "text": "hi", "username": "bot", "icon_emoji": ":wave:", "attachments": '[{"a":1}]',
        "unfurl_links": "false", "unfurl_media": "false",
    }  # fmt: skip


async def test_slack_messages_of_a_group_become_a_thread_and_may_update_the_first():
    threads = Threads()
    async with receiving(OK) as received:
        service = slack(received, threads, icon="https://example.org/i.png")
        grouped = Message("hi", Slack(grouping_key="rev", broadcast=True))
        await service.send(grouped, OPS)
        await service.send(grouped, OPS)
        assert "thread_ts" not in form(received, 0)
        assert (form(received, 1)["thread_ts"], form(received, 1)["reply_broadcast"]) == ("1.5", "true")
        await service.send(Message("hi", Slack(grouping_key="rev", policy="Update")), OPS)
        assert received.requests[2][1] == "/api/chat.update"
        assert (form(received)["ts"], form(received)["channel"]) == ("1.5", "C1")
        await service.send(Message("hi", Slack(grouping_key="rev", policy="PostAndUpdate")), OPS)
        assert [each[1] for each in received.requests[3:]] == ["/api/chat.postMessage", "/api/chat.update"]


def test_threads_are_forgotten_in_the_end():
    threads = Threads()
    for at in range(5000):
        threads.keep("ops", f"g{at}", Thread("1", "c"))
    assert threads.get("ops", "g0") is None
    assert threads.get("ops", "g4999") is not None
    threads.keep("ops", "", Thread("1", "c"))
    assert threads.get("ops", "") is None


SLACK_FAULTS = [
    ((200, b'{"ok": false, "error": "channel_not_found"}', {}), Refused, "the channel is not there"),
    ((200, b'{"ok": false, "error": "invalid_auth"}', {}), Forbidden, "the token is none"),
    ((200, b'{"ok": false, "error": "fatal_error"}', {}), ServerFault, "it comes and goes"),
    ((429, b"", {"Retry-After": "7"}), Throttled, "too many"),
    ((429, b"", {"Retry-After": "soon"}), Throttled, "too many, for a while"),
    ((503, b"", {}), ServerFault, "it fails"),
    ((200, b"<html>", {}), GarbledReply, "it is not Slack"),
    ((302, b"", {"Location": "http://127.0.0.1:1/"}), GarbledReply, "redirects are not followed"),
]


@pytest.mark.parametrize(("answer", "fault", "why"), SLACK_FAULTS, ids=[why for _, _, why in SLACK_FAULTS])
async def test_what_slack_refuses_is_told_by_kind(answer, fault, why):
    async with receiving(answer) as received:
        with pytest.raises(fault) as refused:
            await slack(received).send(Message("hi"), OPS)
    assert TOKEN not in str(refused.value)
    assert len(received.requests) == 1


@pytest.mark.parametrize("text", ["{", '{"a": 1}'])
async def test_attachments_that_are_no_list_are_refused_before_anything_is_sent(text):
    async with receiving(OK) as received:
        with pytest.raises(InvalidInput, match="attachments"):
            await slack(received).send(Message("hi", Slack(attachments=text)), OPS)
    assert received.requests == []


async def test_a_webhook_gets_what_its_template_says():
    async with receiving() as received:
        service = hook(
            received, headers=[{"name": "X-Key", "value": "k3y"}], basicAuth={"username": "u", "password": "p"}
        )
        to = Destination("hook", "")
        await service.send(
            Message("hi", webhooks={"hook": Request("post", "body", "/x?y=1"), "other": Request("", "", "")}), to
        )
        await service.send(Message("hi"), to)
    method, path, headers, body = received.requests[0]
    assert (method, path, headers["X-Key"], headers["Authorization"], body) == (
        "POST",
        "/base/x",
        "k3y",
        "Basic dTpw",
        "body",
    )
    assert [received.requests[1][at] for at in (0, 1, 3)] == ["GET", "/base/", "hi"]


async def test_a_webhook_that_fails_is_tried_again_with_growing_waits():
    waits = Waits()
    async with receiving((503, b"", {}), (429, b"", {}), (200, b"", {})) as received:
        await hook(received, waits, retryWaitMin=2_000_000_000, retryWaitMax="3s").send(Message("hi"), OPS)
    assert len(received.requests) == 3
    assert [round(each) for each in waits.slept] in ([2, 3], [2, 4])


async def test_a_webhook_is_given_up_after_its_retries():
    waits = Waits()
    async with receiving((500, b"no " * 400, {})) as received:
        with pytest.raises(ServerFault, match="status 500") as refused:
            await hook(received, waits, retryMax=2).send(Message("hi"), OPS)
    assert len(received.requests) == 3
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("status", [302, 400, 404, 501])
async def test_a_webhook_that_refuses_is_not_tried_again(status):
    async with receiving((status, b"", {})) as received:
        with pytest.raises(Refused):
            await hook(received).send(Message("hi"), OPS)
    assert len(received.requests) == 1


async def test_nobody_there_is_told_without_the_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    service = WebhookService({"url": f"http://127.0.0.1:{port}/s3cret", "retryMax": 1}, Outbound(), Waits(), Ids(1))
    with pytest.raises(Unreachable) as refused:
        await service.send(Message("hi"), OPS)
    assert "s3cret" not in str(refused.value)


async def test_whoever_does_not_answer_is_not_waited_for():
    over = asyncio.Event()

    async def silent(reader, writer):
        await reader.read()
        writer.close()
        await writer.wait_closed()
        over.set()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        with pytest.raises(TimedOut):
            await Outbound(0.05).send(Call("GET", url))
        await over.wait()


@pytest.mark.parametrize("url", ["", "ftp://x/", "file:///etc/passwd", "http://", "javascript:1", "http://[x"])
def test_only_addresses_of_the_web_are_used(url):
    with pytest.raises(InvalidInput):
        checked_url(url)


async def test_requests_are_bounded():
    with pytest.raises(LimitExceeded):
        await Outbound().send(Call("POST", "http://127.0.0.1:1/", b"x" * (1 << 21)))
    with pytest.raises(InvalidInput):
        await Outbound().send(Call("BREW", "http://127.0.0.1:1/"))
    with pytest.raises(InvalidInput, match="cannot be used"):
        WebhookService({"url": "http://x/", "retryWaitMin": "soon"}, Outbound(), Waits(), Ids(1))


def test_services_that_cannot_be_used_are_problems_and_say_so_when_asked():
    said = Configuration(
        services={
            "slack": Service("slack", {"token": TOKEN}),
            "bad": Service("webhook", {"url": "ftp://x"}),
            "worse": Service("webhook", {"url": "http://x", "headers": TOKEN}),
            "mail": Service("email", {}),
        }
    )
    senders = Senders(said, Outbound(), Threads(), Waits(), Ids(1))
    assert senders.of("slack")
    assert len(senders.problems) == 3
    assert TOKEN not in str(senders.problems)
    for name in ("bad", "mail", "nowhere"):
        with pytest.raises(NotFound, match="is not supported"):
            senders.of(name)


SURROUNDINGS = Surroundings(lambda: datetime(2026, 1, 1, tzinfo=UTC), Ids(1))


def test_messages_of_several_templates_add_up():
    said = read_configuration(
        {
            "data": {
                "template.a": "message: '{{.app.metadata.name}} for {{.recipient}} by {{.serviceType}}, {{.context.notificationType}} {{.secrets.s | toString}}'\nslack: {username: one}",
                "template.b": "slack: {username: two, deliveryPolicy: Update, groupingKey: '{{.app.metadata.name}}'}\nwebhook:\n  hook: {method: POST, path: '/{{.app.metadata.name}}', body: '{{toJson .app.metadata}}'}",
                "template.broken": "message: '{{nope}}'",
                "template.failing": "message: '{{.app.metadata.name.x}}'",
            }
        },
        {"data": {"s": "czNj"}},
    )
    messages = Messages(said, SURROUNDINGS)
    assert [each.key for each in messages.problems] == ["template.broken"]
    seen = for_template(variables({"metadata": {"name": "web"}}, None, said, SURROUNDINGS.now), OPS)
    message = messages.message(("a", "b"), seen)
    assert message.text == "web for ops by slack, slack s3c"
    assert message.slack == Slack(username="two", grouping_key="web", policy="Update")
    assert message.webhooks == {"hook": Request("POST", '{"name":"web"}', "/web")}
    with pytest.raises(NotFound, match="template 'broken' is not supported"):
        messages.message(("broken",), seen)
    with pytest.raises(EvaluationFailed, match="can't evaluate field x"):
        messages.message(("failing",), seen)


@pytest.mark.parametrize("name", ["app-created", "app-deleted", "app-deployed", "app-health-degraded", "app-sync-failed", "app-sync-running", "app-sync-status-unknown", "app-sync-succeeded"])  # fmt: skip
def test_stock_templates_say_something_that_slack_takes(name):
    messages = Messages(Configuration(context={"argocdUrl": "https://cd"}), SURROUNDINGS)
    assert messages.problems == ()
    app = {
        "metadata": {"name": "web"},
        "status": {
            "sync": {"status": "Synced", "revision": "abcdef12"},
            "conditions": [{"type": "A", "message": 'say "x"'}],
        },
    }
    seen = for_template(variables(app, None, Configuration(), SURROUNDINGS.now), OPS)
    message = messages.message((name,), seen)
    assert message.text.startswith("Application web ")
    service = SlackService({"token": TOKEN}, Outbound(), Threads())
    assert '"title":"web"' in service._fields(message, message.slack)["attachments"]
