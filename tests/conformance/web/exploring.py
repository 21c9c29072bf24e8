"""Asks a running port for everything that its description says can be asked, with values nobody would think of."""

import time
from dataclasses import dataclass, field

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import load_all_checks

UNDESCRIBED = "undescribed"
STREAMS = ("/live", "/stream/", "/watch", "/logs")
"""What does not end by itself is not waited for."""
_ANSWER_S = 10
_CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance")


@dataclass
class Explored:
    asked: int = 0
    operations: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """For want of time."""


def explored(url, token, *, within_s, examples, tags_left_out=()):
    """Every described operation is asked a few times; raises what does not answer as it should."""
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
    deadline, found = time.monotonic() + within_s, Explored()
    for result in schema.get_all_operations():
        operation = result.ok()
        tags = operation.definition.raw.get("tags", ())
        named = f"{operation.method.upper()} {operation.path}"
        if UNDESCRIBED in tags or set(tags) & set(tags_left_out) or any(part in operation.path for part in STREAMS):
            continue
        if time.monotonic() > deadline:
            found.left_out.append(named)
            continue
        found.operations.append(named)
        found.asked += _asked(operation, url, token, examples)
    return found


def _asked(operation, url, token, examples):
    count = 0
    load_all_checks()
    checks = schemathesis.checks.CHECKS.get_by_names(_CHECKS)

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def ask(case):
        nonlocal count
        count += 1
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = case.call(base_url=url, headers=headers, timeout=_ANSWER_S)
        case.validate_response(answer, checks=checks)

    ask()
    return count
