"""SQS: names of queues and ranges of their attributes."""

from typing import Any, Final

import msgspec

from plumbline.base.json import decode
from plumbline.providers.sandbox.calls import Call, Refusal, World
from plumbline.providers.sandbox.rules.rule import Objection, Rule, matches

_RANGES: Final = {
    "DelaySeconds": (0, 900),
    "KmsDataKeyReusePeriodSeconds": (60, 86_400),
    "MaximumMessageSize": (1024, 1_048_576),
    "MessageRetentionPeriod": (60, 1_209_600),
    "ReceiveMessageWaitTimeSeconds": (0, 20),
    "VisibilityTimeout": (0, 43_200),
}
_FLAGS: Final = frozenset({"ContentBasedDeduplication", "FifoQueue", "SqsManagedSseEnabled"})
_OTHERS: Final = frozenset(
    {"DeduplicationScope", "FifoThroughputLimit", "KmsMasterKeyId", "Policy", "RedriveAllowPolicy", "RedrivePolicy"}
)
_MOST_RECEIVED: Final = 1000
_NAME: Final = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"


def _attributes(call: Call, _: World) -> Objection:
    for name, value in (call["Attributes"] or {}).items():
        if name not in _RANGES and name not in _FLAGS and name not in _OTHERS:
            return Refusal("InvalidAttributeName", f"Unknown Attribute {name}.")
        if not _allowed(name, str(value)):
            return f"Invalid value for the parameter {name}."
    return None


def _allowed(name: str, value: str) -> bool:
    if name in _RANGES:
        low, high = _RANGES[name]
        return value.isdigit() and low <= int(value) <= high
    if name in _FLAGS:
        return value.lower() in {"true", "false"}
    if name in {"Policy", "RedriveAllowPolicy", "RedrivePolicy"} and value:
        content = _object(value)
        return content is not None and (name != "RedrivePolicy" or _redrives(content))
    return True


def _redrives(policy: dict[str, Any]) -> bool:
    count = str(policy.get("maxReceiveCount", ""))
    return count.isdigit() and 1 <= int(count) <= _MOST_RECEIVED and "deadLetterTargetArn" in policy


def _object(text: str) -> dict[str, Any] | None:
    try:
        content = decode(text)
    except msgspec.DecodeError:
        return None
    return content if isinstance(content, dict) else None


def _fifo(call: Call, _: World) -> Objection:
    asked = str((call["Attributes"] or {}).get("FifoQueue", "")).lower() == "true"
    named = str(call["QueueName"]).endswith(".fifo")
    if named and not asked:
        return _NAME
    return "The name of a FIFO queue can only end with .fifo" if asked and not named else None


def _rested(call: Call, world: World) -> Objection:
    """The world says so only for as long as the option `queue_name_wait_s` asks for."""
    if world.since_deleted_s("queue", str(call["QueueName"])) is None:
        return None
    return "You must wait 60 seconds after deleting a queue before you can create another with the same name."


RULES: Final = (
    Rule(
        "CreateQueue",
        "InvalidParameterValue",
        matches("QueueName", r"[A-Za-z0-9_-]{1,80}|[A-Za-z0-9_-]{1,75}\.fifo", _NAME),
    ),
    Rule("CreateQueue", "InvalidParameterValue", _fifo),
    Rule("CreateQueue SetQueueAttributes", "InvalidAttributeValue", _attributes),
    Rule("CreateQueue", "AWS.SimpleQueueService.QueueDeletedRecently", _rested),
)
