"""Health checks: what is filled in, what counts as healthy, and what stays out of messages."""

import pytest
from tests.terraform.objects import terraform

from plumbline.base.errors import Refused, TimedOut, Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.checks import due, health
from plumbline.terraform.checks.addresses import HostPort
from plumbline.terraform.checks.health import Health

OUTPUTS = {"host": Plaintext("db.example.com"), "port": Plaintext("5432"), "token": Plaintext("canary-hunter2")}


class Prober:
    """Answers what it is told to, and remembers what it was asked."""

    def __init__(self, answer=200):
        self.asked = []
        self._answer = answer

    async def connect(self, place, timeout_s):
        self.asked.append((place, timeout_s))
        if isinstance(self._answer, Exception):
            raise self._answer

    async def get(self, url, timeout_s):
        await self.connect(url, timeout_s)
        return self._answer


def checks(*listed):
    return terraform({"healthChecks": [{"name": "check", **each} for each in listed]}).spec.health_checks


TCP = {"type": "tcp", "address": "${{ .host }}:${{ .port }}"}
HTTP = {"type": "http", "url": "https://${{ .host }}/?t=${{ .token }}", "timeout": "1500ms"}


async def test_outputs_are_filled_in_and_every_check_is_made():
    prober = Prober()
    assert await health(checks(TCP, HTTP), OUTPUTS, prober) == Health(
        True, "HealthChecksSucceed", "Health checks succeeded"
    )
    assert prober.asked == [
        (HostPort("db.example.com", 5432), 20.0),
        ("https://db.example.com/?t=canary-hunter2", 1.5),
    ]


FAILURES = [
    (TCP, Unreachable("dial tcp", why="no such host"), "failed to perform tcp health check for check on ${{ .host }}:${{ .port }}: dial tcp: no such host"),
    (HTTP, TimedOut("No answer", why="late"), "failed to perform http health check for check on https://${{ .host }}/?t=${{ .token }}: No answer: late"),
    (HTTP, Refused("no"), "failed to perform http health check for check on https://${{ .host }}/?t=${{ .token }}: no"),
    (HTTP, 503, "failed to perform http health check for check on https://${{ .host }}/?t=${{ .token }}, response status: 503"),
    (HTTP, 400, "failed to perform http health check for check on https://${{ .host }}/?t=${{ .token }}, response status: 400"),
    (HTTP, 199, "failed to perform http health check for check on https://${{ .host }}/?t=${{ .token }}, response status: 199"),
    ({"type": "tcp", "address": "${{ .token }}"}, 200, "invalid address for tcp health check: ${{ .token }}, missing port in address"),
    ({"type": "http", "url": "${{ .token }}"}, 200, "invalid url for http health check: ${{ .token }}, it is no http or https address"),
    ({"type": "http"}, 200, "invalid url for http health check: , it is no http or https address"),
    ({"type": "http", "url": "${{ .host"}, 200, "error getting terraform output for health checks: template: tmpl:1: unclosed action"),
    ({"type": "http", "url": "${{ .host.x }}"}, 200, "can't evaluate field x in type string"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "answer", "message"), FAILURES, ids=[each[-1] for each in FAILURES])
async def test_what_fails_is_said_with_the_address_as_it_is_written(check, answer, message):
    found = await health(checks(check), OUTPUTS, Prober(answer))
    assert (found.healthy, found.reason) == (False, "HealthChecksFailed")
    assert message in found.message
    kind = check["type"].upper()
    assert found.event == f"{kind} health check error: check, url: {check.get('address') or check.get('url', '')}"
    assert "hunter2" not in repr(found)


@pytest.mark.parametrize("status", [200, 204, 304, 399])
async def test_everything_below_an_error_is_healthy(status):
    assert (await health(checks(HTTP), OUTPUTS, Prober(status))).healthy


async def test_the_first_that_fails_is_the_last_that_is_made():
    prober = Prober(500)
    await health(checks(HTTP, HTTP, TCP), OUTPUTS, prober)
    assert len(prober.asked) == 1


async def test_what_is_not_among_the_outputs_is_no_value():
    prober = Prober()
    found = await health(checks({"type": "http", "url": "http://a/${{ .none }}"}), {}, prober)
    assert not found.healthy
    assert prober.asked == []


def condition(type_, reason):
    return {
        "type": type_,
        "status": "True",
        "reason": reason,
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }


@pytest.mark.parametrize(
    ("listed", "conditions", "expected", "why"),
    [
        ([TCP], [], False, "nothing was applied"),
        ([], [condition("Apply", "TerraformAppliedSucceed")], False, "nobody asks for any"),
        ([TCP], [condition("Apply", "TerraformAppliedSucceed")], True, "something was applied and nobody has looked"),
        (
            [TCP],
            [condition("Apply", "TerraformAppliedSucceed"), condition("HealthCheck", "HealthChecksSucceed")],
            False,
            "somebody has",
        ),
        ([TCP], [condition("HealthCheck", "HealthChecksFailed")], True, "the last look failed"),
    ],
)
def test_checks_are_made_after_an_apply_and_until_they_succeed(listed, conditions, expected, why):
    subject = terraform({"healthChecks": [{"name": "c", **each} for each in listed]}, status={"conditions": conditions})
    assert due(subject.spec.health_checks, subject.status.conditions) is expected, why
