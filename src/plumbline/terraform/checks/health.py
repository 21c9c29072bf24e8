"""Whether what was applied answers: checks that the object lists, with the outputs of the module in their addresses.

Addresses are said as they are written, never as they are filled in, and answers are not repeated: outputs may be secret.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, Protocol

from plumbline.base.errors import BadExpression, EvaluationFailed, InvalidInput, PlumblineError
from plumbline.base.plaintext import Plaintext
from plumbline.gotemplate import Template
from plumbline.gotemplate.values import StringMap
from plumbline.kinds.flux.common import Condition
from plumbline.kinds.flux.terraform import HealthCheck
from plumbline.terraform.checks.addresses import HostPort, tcp_address, web_address

FAILED: Final = "HealthChecksFailed"
SUCCEEDED: Final = "HealthChecksSucceed"
_APPLIED: Final = "TerraformAppliedSucceed"
_DELIMITERS: Final = ("${{", "}}")
_FINE: Final = range(200, 400)
_WORDS: Final = {"tcp": "address", "http": "url"}


class Health(NamedTuple):
    """The condition HealthCheck, and what an event says where it failed."""

    healthy: bool
    reason: str
    message: str
    event: str = ""


class Prober(Protocol):
    """`Wire`, and whatever stands in for it."""

    async def connect(self, place: HostPort, timeout_s: float) -> None: ...

    async def get(self, url: str, timeout_s: float) -> int: ...


def due(checks: Iterable[HealthCheck], conditions: Iterable[Condition]) -> bool:
    """Whether to look: something was applied and nobody has looked since, or the last look failed."""
    reasons = {each.type: each.reason for each in conditions}
    looked = reasons.get("HealthCheck", "")
    return bool(tuple(checks)) and (looked == FAILED or (not looked and reasons.get("Apply") == _APPLIED))


async def health(checks: Iterable[HealthCheck], outputs: Mapping[str, Plaintext], prober: Prober) -> Health:
    """One check after the other, up to the first that fails. *outputs* are the contents of the output Secret."""
    for check in checks:
        failure = await _failure(check, outputs, prober)
        if failure:
            said = check.address if check.type == "tcp" else check.url
            kind = "TCP" if check.type == "tcp" else "HTTP"
            return Health(False, FAILED, failure, f"{kind} health check error: {check.name}, url: {said}")
    return Health(True, SUCCEEDED, "Health checks succeeded")


async def _failure(check: HealthCheck, outputs: Mapping[str, Plaintext], prober: Prober) -> str:
    written = check.address if check.type == "tcp" else check.url
    try:
        place = filled(written, outputs)
        if check.type == "tcp":
            return await _tcp(check, tcp_address(place), prober)
        web_address(place)
        return await _http(check, place, prober)
    except (BadExpression, EvaluationFailed) as wrong:
        return f"error getting terraform output for health checks: {wrong}"
    except InvalidInput as wrong:
        return f"invalid {_WORDS[check.type]} for {check.type} health check: {written}, {wrong.why or wrong.what}"


async def _tcp(check: HealthCheck, place: HostPort, prober: Prober) -> str:
    try:
        await prober.connect(place, _timeout_s(check))
    except PlumblineError as failed:
        return f"failed to perform tcp health check for {check.name} on {check.address}: {failed}"
    return ""


async def _http(check: HealthCheck, url: str, prober: Prober) -> str:
    try:
        status = await prober.get(url, _timeout_s(check))
    except PlumblineError as failed:
        return f"failed to perform http health check for {check.name} on {check.url}: {failed}"
    if status in _FINE:
        return ""
    return f"failed to perform http health check for {check.name} on {check.url}, response status: {status}"


def filled(text: str, outputs: Mapping[str, Plaintext]) -> str:
    """Raises BadExpression and EvaluationFailed in Go's words, which name fields and types, never values."""
    values = StringMap({key: value.reveal().decode(errors="replace") for key, value in outputs.items()})
    return Template("tmpl", text, delimiters=_DELIMITERS).execute(values)


def _timeout_s(check: HealthCheck) -> float:
    return max(check.timeout.ns / 1e9, 0.001)
