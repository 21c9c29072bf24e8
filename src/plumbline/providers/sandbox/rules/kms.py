"""KMS: keys that wait for their deletion, and those that are switched off."""

from typing import Final

from plumbline.providers.sandbox.calls import Call, World
from plumbline.providers.sandbox.rules.policies import document
from plumbline.providers.sandbox.rules.rule import Objection, Rule, between

_NOT_WHILE_PENDING: Final = (
    "CreateAlias CreateGrant Decrypt DisableKey DisableKeyRotation EnableKey EnableKeyRotation Encrypt GenerateDataKey "
    "GenerateDataKeyWithoutPlaintext ScheduleKeyDeletion Sign TagResource UntagResource UpdateAlias UpdateKeyDescription Verify"
)
_USES: Final = "Decrypt Encrypt GenerateDataKey GenerateDataKeyWithoutPlaintext Sign Verify EnableKeyRotation"


def _state(call: Call, world: World) -> tuple[str, str]:
    name = str(call["KeyId"] or call["TargetKeyId"] or "")
    found = world.found("kms-key", name.rpartition("/")[2])
    return (str(found["arn"]), str(found["key_state"])) if found is not None else (name, "")


def _alive(call: Call, world: World) -> Objection:
    arn, state = _state(call, world)
    return f"{arn} is pending deletion." if state == "PendingDeletion" else None


def _enabled(call: Call, world: World) -> Objection:
    arn, state = _state(call, world)
    return f"{arn} is disabled." if state == "Disabled" else None


def _pending(call: Call, world: World) -> Objection:
    arn, state = _state(call, world)
    return f"{arn} is not pending deletion." if state not in {"PendingDeletion", ""} else None


RULES: Final = (
    Rule(_NOT_WHILE_PENDING, "KMSInvalidStateException", _alive),
    Rule(_USES, "DisabledException", _enabled),
    Rule("CancelKeyDeletion", "KMSInvalidStateException", _pending),
    Rule("ScheduleKeyDeletion", "ValidationException", between("PendingWindowInDays", 7, 30)),
    Rule("EnableKeyRotation", "ValidationException", between("RotationPeriodInDays", 90, 2560)),
    Rule("CreateKey PutKeyPolicy", "MalformedPolicyDocumentException", document("Policy", "resource")),
)
