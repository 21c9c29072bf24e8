"""Secrets that AWS keeps, and the values in them."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind
from plumbline.managed.kinds import Reference
from plumbline.providers.aws.engine.scene import Scene
from plumbline.providers.aws.table import Call, Key, Read, Table, Tags, Update

_DAYS: Final = 30


def _with_recovery(scene: Scene) -> JsonObject:
    days = scene.wanted.get("recoveryWindowInDays", _DAYS)
    return {"RecoveryWindowInDays": int(days)} if days else {"ForceDeleteWithoutRecovery": True}


SECRET: Final = Table(
    service="secretsmanager", kind="Secret", plural="secrets", external_name="assigned", key=Key("name", limit=255), called="ARN",
    create=Call("CreateSecret", {"Name": "$key"}),
    reads=(Read("DescribeSecret", {"SecretId": "$name"}),), seen=lambda found, _: None if found.get("DeletedDate") else found,
    updates=(Update("UpdateSecret", {"SecretId": "$name"}),),
    delete=Call("DeleteSecret", {"SecretId": "$name"}), deletion=_with_recovery,
    settable="description kmsKeyId replica forceOverwriteReplicaSecret", unread="replica forceOverwriteReplicaSecret",
    names={"replica": "AddReplicaRegions"}, local="recoveryWindowInDays", numbers="recoveryWindowInDays",
    tags=Tags(write=Call("TagResource", {"SecretId": "$name", "Tags": "$tags"}), erase=Call("UntagResource", {"SecretId": "$name", "TagKeys": "$keys"})),
    arn="ARN", extra={"name": "Name", "rotationEnabled": "RotationEnabled"},
    references=(Reference("kmsKeyId", GroupKind("kms.aws.upbound.io", "Key"), extract="status.atProvider.arn"),),
    holds="a secret",
)  # fmt: skip

VERSION: Final = Table(
    service="secretsmanager", kind="SecretVersion", plural="secretversions", external_name="assigned", key=Key("secretId"),
    called="ARN && VersionId && join('|', [ARN, VersionId])",
    create=Call("PutSecretValue", {"SecretId": "$.secretId"}),
    reads=(Read("GetSecretValue", {"SecretId": "$.secretId"}),),
    updates=(Update("PutSecretValue", {"SecretId": "$.secretId"}),),
    # The current value of a secret goes with the secret; there is nothing to ask for.
    delete=Call(""), gone=lambda _: True,
    settable="versionStages", unread="versionStages",
    secrets={"secretStringSecretRef": "SecretString"}, secrets_found={"secretStringSecretRef": "SecretString"},
    arn="ARN", extra={"versionId": "VersionId"},
    references=(Reference("secretId", GroupKind("secretsmanager.aws.upbound.io", "Secret")),),
)  # fmt: skip

TABLES: Final = (SECRET, VERSION)
