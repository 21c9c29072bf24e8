"""Webhooks and policies of admission, and other kinds that call services: API extensions of both sorts."""

from typing import Final

from plumbline.apiserver.defaults.rules import Rule, chain, child_of, each, for_objects, record
from plumbline.base.json import JsonObject

_SERVICE: Final = record(absent={"port": 443})
_CLIENT_CONFIG: Final = record(fields={"service": _SERVICE})
_RULES: Final = each(record(absent={"scope": "*"}))
_SELECTORS: Final = {"namespaceSelector": dict, "objectSelector": dict}

_WEBHOOK: Final = {"failurePolicy": "Fail", "matchPolicy": "Equivalent", "timeoutSeconds": 10}
_BELOW: Final = {"clientConfig": _CLIENT_CONFIG, "rules": _RULES}

VALIDATING_WEBHOOKS: Final = record(fields={"webhooks": each(record(absent=_WEBHOOK, made=_SELECTORS, fields=_BELOW))})
MUTATING_WEBHOOKS: Final = record(
    fields={
        "webhooks": each(record(absent={**_WEBHOOK, "reinvocationPolicy": "Never"}, made=_SELECTORS, fields=_BELOW))
    }
)

_MATCHED: Final = record(
    absent={"matchPolicy": "Equivalent"},
    made=_SELECTORS,
    fields={"resourceRules": _RULES, "excludeResourceRules": _RULES},
)
ADMISSION_POLICY: Final = record(
    fields={"spec": record(absent={"failurePolicy": "Fail"}, fields={"matchConstraints": _MATCHED})}
)
"""Validating and mutating."""
ADMISSION_POLICY_BINDING: Final = record(fields={"spec": record(fields={"matchResources": _MATCHED})})

API_SERVICE: Final = record(fields={"spec": record(fields={"service": _SERVICE})})


@for_objects
def _names(names: JsonObject) -> JsonObject:
    kind = names.get("kind")
    changes: JsonObject = {}
    if isinstance(kind, str):
        if not names.get("singular") and kind:
            changes["singular"] = kind.lower()
        if not names.get("listKind") and kind:
            changes["listKind"] = f"{kind}List"
    return {**names, **changes} if changes else names


@for_objects
def _stored(definition: JsonObject) -> JsonObject:
    """With the version that is stored among those that have ever been, where none has been yet."""
    status, versions = child_of(definition, "status"), child_of(definition, "spec").get("versions")
    if status.get("storedVersions") or type(versions) is not list:
        return definition
    names = [each.get("name") for each in versions if type(each) is dict and each.get("storage")]
    return {**definition, "status": {**status, "storedVersions": names[:1]}} if names else definition


CUSTOM_RESOURCE_DEFINITION: Final[Rule] = chain(
    record(
        fields={
            "spec": record(
                made={"conversion": lambda: {"strategy": "None"}},
                fields={
                    "names": _names,
                    "conversion": record(fields={"webhook": record(fields={"clientConfig": _CLIENT_CONFIG})}),
                },
            )
        }
    ),
    _stored,
)
