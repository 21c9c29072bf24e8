"""DynamoDB: keys and the attributes that they are made of, capacity, and tables that are not ready."""

from typing import Any, Final

from plumbline.providers.sandbox.calls import Call, World
from plumbline.providers.sandbox.rules.rule import Objection, Rule, matches

_MOST_GLOBAL, _MOST_LOCAL = 20, 5


def _schema(call: Call, _: World) -> Objection:
    indexes = [*(call["GlobalSecondaryIndexes"] or ()), *(call["LocalSecondaryIndexes"] or ())]
    for schema in [call["KeySchema"] or [], *(index.get("KeySchema") or [] for index in indexes)]:
        kinds = [str(element.get("KeyType")) for element in schema]
        names = [str(element.get("AttributeName")) for element in schema]
        if kinds not in (["HASH"], ["HASH", "RANGE"]):
            return (
                "Invalid KeySchema: The first KeySchemaElement is not a HASH key type, or there is more than one RANGE"
            )
        if len(names) != len(set(names)):
            return "Both the Hash Key and the Range Key element in the KeySchema have the same name"
    return None


def _attributes(call: Call, _: World) -> Objection:
    defined = {str(each.get("AttributeName")) for each in call["AttributeDefinitions"] or ()}
    used = _used(call)
    if used - defined:
        return (
            "One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: [{', '.join(sorted(used))}], AttributeDefinitions: [{', '.join(sorted(defined))}]"
        )
    if defined - used:
        return (
            "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of "
            "attributes defined in AttributeDefinitions"
        )
    return None


def _used(call: Call) -> set[str]:
    indexes: list[Any] = [*(call["GlobalSecondaryIndexes"] or ()), *(call["LocalSecondaryIndexes"] or ())]
    schemas = [call["KeySchema"] or [], *(index.get("KeySchema") or [] for index in indexes)]
    return {str(element.get("AttributeName")) for schema in schemas for element in schema}


def _capacity(call: Call, _: World) -> Objection:
    given = call["ProvisionedThroughput"]
    if call["BillingMode"] == "PAY_PER_REQUEST":
        wrong = "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
        return f"One or more parameter values were invalid: {wrong}" if given else None
    if given:
        return None
    return "One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"


def _indexes(call: Call, _: World) -> Objection:
    near = call["LocalSecondaryIndexes"] or ()
    if near and len(call["KeySchema"] or ()) < 2:  # noqa: PLR2004 - hash and range
        return "One or more parameter values were invalid: Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"
    if len(near) > _MOST_LOCAL or len(call["GlobalSecondaryIndexes"] or ()) > _MOST_GLOBAL:
        return "One or more parameter values were invalid: the number of indexes exceeds the per-table limit"
    return None


def _ready(call: Call, world: World) -> Objection:
    found = world.found("dynamodb-table", str(call["TableName"]).rpartition("/")[2])
    state = found["status"] if found is not None else "ACTIVE"
    return (
        None
        if state == "ACTIVE"
        else f"Attempt to change a resource which is still in use: Table is being {_BEING[state]}"
    )


_BEING: Final = {"CREATING": "created: " + "try again later", "DELETING": "deleted", "UPDATING": "updated"}

_NAME: Final = "Invalid table name '{value}': it must be at least 3 and at most 255 characters long, of a-z, A-Z, 0-9, '_', '-' and '.'"

RULES: Final = (
    Rule("CreateTable", "ValidationException", matches("TableName", r"[A-Za-z0-9_.-]{3,255}", _NAME)),
    Rule("CreateTable", "ValidationException", _schema),
    Rule("CreateTable", "ValidationException", _attributes),
    Rule("CreateTable", "ValidationException", _capacity),
    Rule("CreateTable", "ValidationException", _indexes),
    Rule("UpdateTable DeleteTable UpdateTimeToLive UpdateContinuousBackups", "ResourceInUseException", _ready),
)
