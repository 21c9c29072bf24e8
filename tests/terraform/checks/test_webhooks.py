"""Post-planning webhooks: what they are sent, how their answer is judged, and who is never asked."""

import ssl

import pytest
from tests.terraform.objects import terraform

from plumbline.base.errors import InvalidInput, TimedOut, Unreachable
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.checks import WebhookPoster, Wire, objection
from plumbline.terraform.checks.webhooks import Objection, payload, verdict
from plumbline.terraform.checks.wire import Reply

PLAN = Plaintext('{"format_version":"1.2","variables":{"p":{"value":"canary-hunter2"}}}')


class Poster:
    def __init__(self, *replies):
        self.sent = []
        self._replies = list(replies)

    async def post(self, url, body):
        self.sent.append((url, decode(body.reveal())))
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return Reply(200, encode(reply)) if isinstance(reply, dict) else reply


def subject(*hooks, **spec):
    listed = [
        {
            "stage": "post-planning",
            "url": "https://hook.example.com/token-in-path",
            "testExpression": "${{ .passed }}",
            "errorMessageTemplate": "Violation: ${{ (index .violations 0).message }}",
            **each,
        }
        for each in hooks
    ]
    return terraform({"webhooks": listed, **spec}, status={"observedGeneration": 3})


async def asked(poster, *hooks, **spec):
    found = subject(*hooks, **spec)
    return await objection(found.spec.webhooks, found.raw, PLAN, poster)


async def test_a_plan_goes_on_where_everybody_agrees():
    poster = Poster({"passed": True}, {"passed": "yes"})
    assert await asked(poster, {}, {}) is None
    assert len(poster.sent) == 2


async def test_a_webhook_that_objects_stops_it_in_its_own_words():
    poster = Poster({"passed": False, "violations": [{"message": "no public buckets"}]})
    found = await asked(poster, {}, {})
    assert found == Objection("Violation: no public buckets", judged=True)
    assert found.reason == "PostPlanningWebhookFailed"
    assert len(poster.sent) == 1


async def test_a_webhook_that_is_not_enabled_is_not_asked():
    poster = Poster()
    assert await asked(poster, {"enabled": False}) is None
    assert poster.sent == []


PAYLOADS = [
    ("SpecAndPlan", {"apiVersion", "kind", "metadata", "spec", "status"}, "both, with the plan as the status"),
    ("SpecOnly", {"apiVersion", "kind", "metadata", "spec"}, "the object alone"),
    ("PlanOnly", {"format_version", "variables"}, "the plan alone"),
]


@pytest.mark.parametrize(("kind", "expected", "why"), PAYLOADS, ids=[each[-1] for each in PAYLOADS])
async def test_only_what_is_asked_for_is_sent(kind, expected, why):
    poster = Poster({"passed": True})
    await asked(poster, {"payloadType": kind})
    [(_, sent)] = poster.sent
    assert set(sent) == expected
    assert ("hunter2" in str(sent)) is (kind != "SpecOnly")
    if kind == "SpecAndPlan":
        assert sent["status"] == {"tfplan": decode(PLAN.reveal())}


def test_tokens_of_the_object_are_not_sent():
    cloud = {"organization": "o", "workspaces": {"name": "w"}, "token": "canary"}
    copied = {"kubectl.kubernetes.io/last-applied-configuration": "canary", "kept": "yes"}
    found = terraform(
        {"cloud": cloud, "webhooks": [{"stage": "post-planning", "url": "https://a/", "testExpression": "x"}]},
        annotations=copied,
    )
    sent = payload(found.spec.webhooks[0], found.raw, PLAN)
    shown = decode(sent.reveal())
    assert 'canary"' not in str(shown["spec"])
    assert shown["spec"]["cloud"] == {"organization": "o", "workspaces": {"name": "w"}}
    assert shown["metadata"]["annotations"] == {"kept": "yes"}
    assert found.raw["spec"]["cloud"]["token"] == "canary"


FAULTS = [
    ({"payloadType": "All"}, {"passed": True}, False, "unknown payload type: All"),
    ({}, Reply(500, b"canary-hunter2"), False, "webhook hook.example.com returned 500"),
    ({}, Reply(200, b"not json"), False, "failed to decode webhook reply"),
    ({}, Reply(200, b"[1]"), False, "failed to decode webhook reply"),
    ({}, {"passed": "perhaps"}, False, "returned unexpected result: perhaps"),
    ({}, {}, False, "returned unexpected result: <no value>"),
    ({"testExpression": "${{ .a"}, {}, False, "failed to parse webhook test expression"),
    ({"testExpression": "${{ .a.b.c }}"}, {"a": 1}, False, "failed to execute webhook test expression"),
    ({"errorMessageTemplate": "${{ .a"}, {"passed": False}, False, "failed to parse webhook error message template"),
    ({"errorMessageTemplate": "${{ index .a 5 }}"}, {"passed": False, "a": []}, False, "failed to execute webhook error message template"),
    ({"testExpression": "${{ eq .n 0 }}"}, {"n": 0}, False, "incompatible types for comparison"),
    ({}, Unreachable("No answer", why="connect: connection refused"), True, "No answer: connect: connection refused"),
    ({}, TimedOut("No answer"), True, "No answer"),
    ({"url": "http://hook.example.com/"}, {"passed": True}, False, "without TLS"),
    ({"url": "ftp://hook.example.com/"}, {"passed": True}, False, "no http or https address"),
]  # fmt: skip


@pytest.mark.parametrize(("hook", "reply", "transient", "said"), FAULTS, ids=[each[-1] for each in FAULTS])
async def test_a_plan_stops_where_nobody_can_be_asked_or_understood(hook, reply, transient, said):
    found = await asked(Poster(reply), hook)
    assert (found.judged, found.transient) == (False, transient)
    assert said in found.message
    assert "hunter2" not in found.message
    assert "token-in-path" not in found.message


async def test_a_plan_never_goes_out_without_tls():
    poster = Poster({"passed": True})
    await asked(poster, {"url": "http://hook.example.com/"})
    assert poster.sent == []


JUDGED = [
    ("${{ .passed }}", {"passed": True}, None, "a boolean"),
    (" ${{ .passed }} ", {"passed": "yes"}, None, "a word with blanks around it"),
    ("${{ eq (len .violations) 0 }}", {"violations": []}, None, "a comparison"),
    ('${{ eq .status "ok" }}', {"status": "bad"}, "", "an objection without a message"),
    ("no", {}, "", "a constant"),
]


@pytest.mark.parametrize(("expression", "answer", "expected", "why"), JUDGED, ids=[each[-1] for each in JUDGED])
def test_an_answer_is_judged_by_the_expression(expression, answer, expected, why):
    [hook] = subject({"testExpression": expression, "errorMessageTemplate": ""}).spec.webhooks
    assert verdict(hook, Reply(200, encode(answer))) == expected


class NoWire(Wire):
    def __init__(self):
        super().__init__()
        self.contexts = []

    async def post(self, url, body, timeout_s, tls=None):
        self.contexts.append(tls)
        return Reply(200, b"{}")


async def test_certificates_are_those_of_the_hosts_folder(tmp_path):
    wire = NoWire()
    (tmp_path / "empty.example.com").mkdir()
    poster = WebhookPoster(wire, tmp_path)
    await poster.post("https://other.example.com/", PLAN)
    await poster.post("https://../", PLAN)
    await poster.post("http://localhost/", PLAN)
    assert wire.contexts == [None, None, None]
    await poster.post("https://empty.example.com/", PLAN)
    assert isinstance(wire.contexts[-1], ssl.SSLContext)
    assert wire.contexts[-1].verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize("name", ["ca.crt", "tls.crt"])
async def test_certificates_that_are_none_are_refused(tmp_path, name):
    folder = tmp_path / "hook.example.com"
    folder.mkdir()
    (folder / name).write_text("canary")
    with pytest.raises(InvalidInput) as refused:
        await WebhookPoster(NoWire(), tmp_path).post("https://hook.example.com/", PLAN)
    assert "hook.example.com" in str(refused.value)
    assert "canary" not in str(refused.value)


async def test_without_a_folder_the_system_decides():
    wire = NoWire()
    await WebhookPoster(wire).post("https://hook.example.com/", PLAN)
    assert wire.contexts == [None]
