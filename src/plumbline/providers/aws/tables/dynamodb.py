"""Tables of documents."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind
from plumbline.managed.external import Difference
from plumbline.managed.kinds import Reference
from plumbline.providers.aws import models
from plumbline.providers.aws.compare import same
from plumbline.providers.aws.table import Call, Codec, Read, States, Table, Tags, Update

_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_FREE: Final[JsonObject] = {"x-kubernetes-preserve-unknown-fields": True}
_INDEX: Final[JsonObject] = {
    "type": "object",
    "properties": {
        "name": _TEXT, "hashKey": _TEXT, "rangeKey": _TEXT, "projectionType": _TEXT, "readCapacity": _NUMBER, "writeCapacity": _NUMBER,
        "nonKeyAttributes": {"type": "array", "items": _TEXT},
    },
    "required": ["name"],
}  # fmt: skip
_ON_DEMAND: Final = "PAY_PER_REQUEST"


def _one(value: Json) -> JsonObject:
    return dict(value[0]) if isinstance(value, list) and value else dict(value or {})


def _key(name: str, kind: str) -> JsonObject:
    return {"AttributeName": name, "KeyType": kind}


def _key_codec(kind: str) -> Codec:
    at = f"KeySchema[?KeyType=='{kind}'] | [0].AttributeName"
    return Codec(_TEXT, lambda name, _: {"KeySchema": [_key(name, kind)]}, lambda found: models.pick(at, found))


def _index_request(index: JsonObject) -> JsonObject:
    keys = [_key(index["hashKey"], "HASH")] if index.get("hashKey") else []
    if index.get("rangeKey"):
        keys.append(_key(index["rangeKey"], "RANGE"))
    projection: JsonObject = {"ProjectionType": index.get("projectionType", "ALL")}
    if index.get("nonKeyAttributes"):
        projection["NonKeyAttributes"] = index["nonKeyAttributes"]
    request: JsonObject = {"IndexName": index["name"], "KeySchema": keys, "Projection": projection}
    if index.get("readCapacity") or index.get("writeCapacity"):
        request["ProvisionedThroughput"] = {
            "ReadCapacityUnits": int(index.get("readCapacity", 1)), "WriteCapacityUnits": int(index.get("writeCapacity", 1))
        }  # fmt: skip
    return request


def _index_found(index: JsonObject) -> JsonObject:
    fields = {
        "name": "IndexName", "hashKey": "KeySchema[?KeyType=='HASH'] | [0].AttributeName", "projectionType": "Projection.ProjectionType",
        "rangeKey": "KeySchema[?KeyType=='RANGE'] | [0].AttributeName", "nonKeyAttributes": "Projection.NonKeyAttributes",
        "readCapacity": "ProvisionedThroughput.ReadCapacityUnits", "writeCapacity": "ProvisionedThroughput.WriteCapacityUnits",
    }  # fmt: skip
    values = {name: models.pick(at, index) for name, at in fields.items()}
    return {name: value for name, value in values.items() if value}


def _index_codec(member: str) -> Codec:
    return Codec(
        {"type": "array", "items": _INDEX},
        # A local index has the hash key of its table.
        lambda indexes, wanted: {
            member: [_index_request({"hashKey": wanted.get("hashKey"), **index}) for index in indexes]
        },
        lambda found: [
            _index_found(index) for index in found.get(member) or [] if index.get("IndexStatus") != "DELETING"
        ],
    )


def _expiry(value: Json, _: JsonObject) -> JsonObject:
    said = _one(value)
    return {
        "TimeToLiveSpecification": {
            "AttributeName": said.get("attributeName", ""),
            "Enabled": bool(said.get("enabled")),
        }
    }


def _expiry_found(found: JsonObject) -> Json:
    told = found.get("TimeToLiveDescription") or {}
    enabled = told.get("TimeToLiveStatus") in {"ENABLED", "ENABLING"}
    return {"enabled": enabled, "attributeName": told.get("AttributeName")} if enabled else {}


def _encryption(value: Json, _: JsonObject) -> JsonObject:
    said = _one(value)
    if not said.get("enabled"):
        return {"SSESpecification": {"Enabled": False}}
    key = {"KMSMasterKeyId": said["kmsKeyArn"]} if said.get("kmsKeyArn") else {}
    return {"SSESpecification": {"Enabled": True, "SSEType": "KMS", **key}}


def _encryption_found(found: JsonObject) -> Json:
    told = found.get("SSEDescription") or {}
    enabled = told.get("Status") in {"ENABLED", "ENABLING", "UPDATING"}
    return {"enabled": enabled, "kmsKeyArn": told.get("KMSMasterKeyArn")} if enabled else {}


def _recovery(value: Json, _: JsonObject) -> JsonObject:
    return {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": bool(_one(value).get("enabled"))}}


def _recovery_found(found: JsonObject) -> Json:
    at = "ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus"
    return {"enabled": True} if models.pick(at, found) == "ENABLED" else {}


def _throughput(differences: Mapping[str, Difference], wanted: JsonObject) -> JsonObject:
    """Both figures go together, and neither where AWS counts requests; indexes change one at a time, as AWS asks."""
    params: JsonObject = {}
    if wanted.get("billingMode") != _ON_DEMAND and any(
        name in differences for name in ("readCapacity", "writeCapacity", "billingMode")
    ):
        params["ProvisionedThroughput"] = {
            "ReadCapacityUnits": int(wanted.get("readCapacity", 1)), "WriteCapacityUnits": int(wanted.get("writeCapacity", 1))
        }  # fmt: skip
    changed = differences.get("globalSecondaryIndex")
    if changed is not None:
        params["GlobalSecondaryIndexUpdates"] = [_next_index_change(changed)]
        params["AttributeDefinitions"] = [
            {"AttributeName": item["name"], "AttributeType": item["type"]} for item in wanted.get("attribute", ())
        ]  # fmt: skip
    return params


def _next_index_change(changed: Difference) -> JsonObject:
    wanted = {index["name"]: index for index in changed.wanted or ()}
    found = {index["name"]: index for index in changed.found or ()}
    for name in found:
        if name not in wanted:
            return {"Delete": {"IndexName": name}}
    for name, index in wanted.items():
        if name not in found:
            return {"Create": _index_request(index)}
    name, index = next((name, index) for name, index in wanted.items() if not same(index, found[name]))
    request = _index_request(index)
    keys = {key: value for key, value in index.items() if key not in {"readCapacity", "writeCapacity"}}
    if "ProvisionedThroughput" in request and same(keys, found[name]):
        return {"Update": {"IndexName": name, "ProvisionedThroughput": request["ProvisionedThroughput"]}}
    return {"Delete": {"IndexName": name}}  # made again, as wanted, when it is gone


TABLE: Final = Table(
    service="dynamodb", kind="Table", plural="tables", versions=("v1beta2", "v1beta1"), loose=True,
    create=Call("CreateTable", {"TableName": "$name"}), created_at="TableDescription",
    exists="ResourceInUseException",
    reads=(Read("DescribeTable", {"TableName": "$name"}, at="Table"),
           Read("DescribeTimeToLive", {"TableName": "$name"}, when="ttl"),
           Read("DescribeContinuousBackups", {"TableName": "$name"}, when="pointInTimeRecovery")),
    updates=(Update("UpdateTimeToLive", {"TableName": "$name"}, fields="ttl"),
             Update("UpdateContinuousBackups", {"TableName": "$name"}, fields="pointInTimeRecovery"),
             Update("UpdateTable", {"TableName": "$name"}, build=_throughput,
                    fields="billingMode readCapacity writeCapacity globalSecondaryIndex streamEnabled streamViewType serverSideEncryption"
                    " tableClass deletionProtectionEnabled")),
    delete=Call("DeleteTable", {"TableName": "$name"}),
    settable="attribute billingMode readCapacity writeCapacity globalSecondaryIndex streamEnabled streamViewType serverSideEncryption"
    " tableClass deletionProtectionEnabled ttl pointInTimeRecovery",
    fixed="hashKey rangeKey localSecondaryIndex",
    required="hashKey attribute",
    names={
        "attribute": "AttributeDefinitions", "attribute.name": "AttributeName", "attribute.type": "AttributeType",
        "readCapacity": "ProvisionedThroughput.ReadCapacityUnits", "writeCapacity": "ProvisionedThroughput.WriteCapacityUnits",
        "streamEnabled": "StreamSpecification.StreamEnabled", "streamViewType": "StreamSpecification.StreamViewType",
    },
    found={"billingMode": "BillingModeSummary.BillingMode || 'PROVISIONED'", "tableClass": "TableClassSummary.TableClass || 'STANDARD'"},
    same={"ttl": "switch", "serverSideEncryption": "switch", "pointInTimeRecovery": "switch"},
    codecs={
        "hashKey": _key_codec("HASH"), "rangeKey": _key_codec("RANGE"),
        "globalSecondaryIndex": _index_codec("GlobalSecondaryIndexes"), "localSecondaryIndex": _index_codec("LocalSecondaryIndexes"),
        "ttl": Codec(_FREE, _expiry, _expiry_found), "serverSideEncryption": Codec(_FREE, _encryption, _encryption_found),
        "pointInTimeRecovery": Codec(_FREE, _recovery, _recovery_found),
    },
    tags=Tags(read=Read("ListTagsOfResource", {"ResourceArn": "$arn"}, at="Tags", into="Tags"),
              write=Call("TagResource", {"ResourceArn": "$arn", "Tags": "$tags"}),
              erase=Call("UntagResource", {"ResourceArn": "$arn", "TagKeys": "$keys"})),
    states=States("TableStatus", creating="CREATING", deleting="DELETING",
                  unavailable="INACCESSIBLE_ENCRYPTION_CREDENTIALS ARCHIVING ARCHIVED", changing="UPDATING"),
    arn="TableArn", extra={"streamArn": "LatestStreamArn", "streamLabel": "LatestStreamLabel"},
    holds="a table", size="ItemCount && join(' ', [to_string(ItemCount), 'items'])",
    protected={"DeletionProtectionEnabled": "deletionProtectionEnabled is on"},
    references=(Reference("serverSideEncryption.kmsKeyArn", GroupKind("kms.aws.upbound.io", "Key"), extract="status.atProvider.arn"),),
)  # fmt: skip

TABLES: Final = (TABLE,)
