"""Secrets Manager: names, and the time in which a deletion can be taken back."""

from typing import Final

from plumbline.providers.sandbox.calls import Call, World
from plumbline.providers.sandbox.rules.policies import document
from plumbline.providers.sandbox.rules.rule import Objection, Rule, between, matches

_NAME: Final = (
    "Invalid name. Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!"
)
_WINDOW: Final = (
    "An error occurred (InvalidParameterException) when calling the DeleteSecret operation: "
    "The RecoveryWindowInDays value must be between 7 and 30 days (inclusive)."
)


def _one_way(call: Call, _: World) -> Objection:
    if call["ForceDeleteWithoutRecovery"] and call["RecoveryWindowInDays"] is not None:
        return "You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays."
    return None


def _one_value(call: Call, _: World) -> Objection:
    if call["SecretString"] is not None and call["SecretBinary"] is not None:
        return "You can't specify both a binary secret value and a string secret value in the same secret."
    return None


def _free(call: Call, world: World) -> Objection:
    found = world.found("secret", str(call["Name"]))
    if found is None or not found["deleted_date"]:
        return None
    return "You can't create this secret because a secret with this name is already scheduled for deletion."


RULES: Final = (
    Rule("CreateSecret", "ValidationException", matches("Name", r"[A-Za-z0-9/_+=.@!-]{1,512}", _NAME)),
    Rule("CreateSecret", "InvalidRequestException", _free),
    Rule("CreateSecret PutSecretValue UpdateSecret", "InvalidParameterException", _one_value),
    Rule("DeleteSecret", "InvalidParameterException", _one_way),
    Rule("DeleteSecret", "InvalidParameterException", between("RecoveryWindowInDays", 7, 30, _WINDOW)),
    Rule("PutResourcePolicy", "MalformedPolicyDocumentException", document("ResourcePolicy", "resource")),
)
