"""Limits of request rates: a token bucket for each family of operations in an account and region."""

from typing import Final

import msgspec

from plumbline.providers.sandbox.calls import Call, Refusal, reads
from plumbline.providers.sandbox.pace import Pace


class Rate(msgspec.Struct, frozen=True):
    burst: float
    per_s: float


# Reads, then writes. Estimates, of the order of what accounts see.
_RATES: Final = {
    "dynamodb": (Rate(2500, 2500), Rate(500, 500)),
    "ec2": (Rate(100, 20), Rate(50, 5)),
    "eks": (Rate(50, 20), Rate(10, 2)),
    "elasticache": (Rate(100, 20), Rate(30, 5)),
    "iam": (Rate(100, 20), Rate(50, 10)),
    "kms": (Rate(200, 100), Rate(50, 5)),
    "rds": (Rate(120, 40), Rate(40, 10)),
    "route53": (Rate(5, 5), Rate(5, 5)),
    "s3": (Rate(5500, 5500), Rate(100, 100)),
    "secretsmanager": (Rate(1000, 1000), Rate(50, 50)),
    "sns": (Rate(100, 30), Rate(100, 30)),
    "sqs": (Rate(1000, 1000), Rate(300, 300)),
}
_OTHERS: Final = (Rate(200, 100), Rate(50, 20))

_SAID: Final = {
    "ec2": Refusal("RequestLimitExceeded", "Request limit exceeded.", 503),
    "eks": Refusal("ThrottlingException", "Rate exceeded", 429),
    "s3": Refusal("SlowDown", "Please reduce your request rate.", 503),
    "sns": Refusal("Throttled", "Rate exceeded", 429),
    "sqs": Refusal("RequestThrottled", "Rate exceeded", 400),
}
_IN_JSON: Final = Refusal("ThrottlingException", "Rate exceeded", 400)
_IN_QUERY: Final = Refusal("Throttling", "Rate exceeded", 400)


def throttled(call: Call) -> Refusal:
    """As the service says it; each of these is one that SDKs wait and try again after."""
    return _SAID.get(call.service) or (_IN_JSON if call.protocol in {"json", "rest-json"} else _IN_QUERY)


class Buckets:
    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._levels: dict[tuple[str, str, str, bool], tuple[float, float]] = {}

    def taken(self, call: Call) -> bool:
        """Whether there was a token left for this call."""
        reading = reads(call.operation)
        rate = _RATES.get(call.service, _OTHERS)[0 if reading else 1]
        family = (call.service, call.account, call.region, reading)
        now_s = self._pace.now_s()
        level, at_s = self._levels.get(family, (rate.burst, now_s))
        level = min(rate.burst, level + (now_s - at_s) * rate.per_s)
        allowed = level >= 1
        self._levels[family] = (level - 1 if allowed else level, now_s)
        return allowed
