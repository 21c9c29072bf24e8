"""IAM: policy documents, and how large and how many they may be. Names are held against the model."""

from typing import Final

from plumbline.providers.sandbox.calls import Call, World
from plumbline.providers.sandbox.rules.policies import document
from plumbline.providers.sandbox.rules.rule import Check, Objection, Rule

_MALFORMED: Final = "MalformedPolicyDocument"


def _at_most(parameter: str, quota: str, characters: int) -> Check:
    """White space does not count."""

    def check(call: Call, _: World) -> Objection:
        size = len("".join(str(call[parameter] or "").split()))
        return f"Cannot exceed quota for {quota}: {characters}" if size > characters else None

    return check


def _tags(call: Call, _: World) -> Objection:
    keys = [str(tag.get("Key", "")).lower() for tag in call["Tags"] or ()]
    return (
        "Duplicate tag keys found. Please note that Tag keys are case insensitive."
        if len(keys) != len(set(keys))
        else None
    )


def _detached(call: Call, world: World) -> Objection:
    found = world.found("policy", str(call["PolicyArn"]))
    return "Cannot delete a policy attached to entities." if found is not None and found["attachment_count"] else None


RULES: Final = (
    Rule("DeletePolicy", "DeleteConflict", _detached),
    Rule("CreateRole", _MALFORMED, document("AssumeRolePolicyDocument", "trust")),
    Rule("UpdateAssumeRolePolicy", _MALFORMED, document("PolicyDocument", "trust")),
    Rule("CreatePolicy CreatePolicyVersion", _MALFORMED, document("PolicyDocument", "identity")),
    Rule("PutRolePolicy PutUserPolicy PutGroupPolicy", _MALFORMED, document("PolicyDocument", "identity")),
    Rule("CreateRole", "LimitExceeded", _at_most("AssumeRolePolicyDocument", "ACLSizePerRole", 2048)),
    Rule("CreatePolicy CreatePolicyVersion", "LimitExceeded", _at_most("PolicyDocument", "PolicySize", 6144)),
    Rule("CreateRole CreatePolicy CreateUser TagRole TagPolicy TagUser", "InvalidInput", _tags),
)
