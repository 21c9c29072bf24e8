"""Policy documents as IAM reads them: JSON with a version and statements that are whole."""

from typing import Any, Final

import msgspec

from plumbline.base.json import decode
from plumbline.providers.sandbox.calls import Call, World
from plumbline.providers.sandbox.rules.rule import Check, Objection

_VERSIONS: Final = ("2012-10-17", "2008-10-17")
_PARTS: Final = frozenset({"Version", "Id", "Statement"})
_KEYS: Final = frozenset(
    {"Sid", "Effect", "Action", "NotAction", "Resource", "NotResource", "Principal", "NotPrincipal", "Condition"}
)


def document(parameter: str, form: str, message: str = "") -> Check:
    """*form* is `identity` (resources, no principals), `trust` (principals, no resources) or `resource` (both)."""

    def check(call: Call, _: World) -> Objection:
        text = call[parameter]
        fault = fault_of(text, form) if text is not None else ""
        return (message or fault) if fault else None

    return check


def fault_of(text: str, form: str) -> str:
    """What is wrong with a document; empty where nothing is."""
    try:
        content = decode(text)
    except msgspec.DecodeError:
        return "This policy contains invalid Json"
    if not isinstance(content, dict) or not set(content) <= _PARTS:
        return "Syntax errors in policy."
    if content.get("Version", _VERSIONS[1]) not in _VERSIONS:
        return "The policy must contain a valid version string."
    statements = content.get("Statement")
    listed: list[Any] = statements if isinstance(statements, list) else [statements]
    if not listed or not all(isinstance(each, dict) for each in listed):
        return "Syntax errors in policy."
    return next((fault for each in listed if (fault := _fault_of_statement(each, form))), "")


def _fault_of_statement(statement: dict[str, Any], form: str) -> str:
    unknown = set(statement) - _KEYS
    if unknown:
        return f"Syntax errors in policy. (Unknown field {min(unknown)})"
    if statement.get("Effect") not in {"Allow", "Deny"}:
        return "Syntax error in policy: Effect must be Allow or Deny."
    if ("Action" in statement) == ("NotAction" in statement):
        return "Policy statement must contain actions."
    has_resource = "Resource" in statement or "NotResource" in statement
    has_principal = "Principal" in statement or "NotPrincipal" in statement
    if form == "trust":
        return (
            "Has prohibited field Resource."
            if has_resource
            else ""
            if has_principal
            else "Missing required field Principal"
        )
    if form == "identity":
        return "Policy document should not specify a principal." if has_principal else "" if has_resource else _LACKING
    return "" if has_principal else "Missing required field Principal"


_LACKING: Final = "Policy statement must contain resources."
