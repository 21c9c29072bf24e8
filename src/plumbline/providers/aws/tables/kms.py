"""Keys, and names for them."""

from typing import Final

from plumbline.kube.names import GroupKind
from plumbline.managed.kinds import Reference
from plumbline.providers.aws.engine.scene import Scene, identity_tags, tag_map
from plumbline.providers.aws.table import Call, Read, States, Table, Tags, Update

_MOST_KEYS: Final = 1000


async def _among_all(scene: Scene) -> list[str]:
    """The tagging service learns of a new key after a while, so after a lost reply every key is looked at."""
    listed = await scene.account.pages("kms", "ListKeys", {"Limit": 1000})
    ours = identity_tags(scene.managed)
    names = []
    for key in listed.get("Keys", [])[:_MOST_KEYS]:
        answer = await scene.call("ListResourceTags", {"KeyId": key["KeyId"]})
        if ours.items() <= tag_map(answer.get("Tags"), "kms pairs").items():
            names.append(key["KeyId"])
    return names


KEY: Final = Table(
    service="kms", kind="Key", plural="keys", external_name="assigned", called="KeyId",
    find=Read("GetResources", {"TagFilters": "$identity", "ResourceTypeFilters": ["kms:key"]}, service="resourcegroupstaggingapi",
              at="ResourceTagMappingList[].ResourceARN"),
    search=_among_all,
    create=Call("CreateKey"), created_at="KeyMetadata",
    reads=(Read("DescribeKey", {"KeyId": "$name"}, at="KeyMetadata"),
           Read("GetKeyPolicy", {"KeyId": "$name", "PolicyName": "default"}, at="Policy", into="Policy", when="policy"),
           Read("GetKeyRotationStatus", {"KeyId": "$name"}, when="enableKeyRotation rotationPeriodInDays")),
    updates=(Update("UpdateKeyDescription", {"KeyId": "$name"}, fields="description"),
             Update("PutKeyPolicy", {"KeyId": "$name", "PolicyName": "default"}, fields="policy"),
             Update("EnableKeyRotation", {"KeyId": "$name"}, fields="enableKeyRotation rotationPeriodInDays", form="whole", off="DisableKeyRotation"),
             Update("EnableKey", {"KeyId": "$name"}, fields="isEnabled", off="DisableKey")),
    delete=Call("ScheduleKeyDeletion", {"KeyId": "$name", "PendingWindowInDays": "$.deletionWindowInDays"}),
    ending="KMSInvalidStateException",
    settable="description policy enableKeyRotation rotationPeriodInDays isEnabled",
    fixed="keyUsage customerMasterKeySpec multiRegion bypassPolicyLockoutSafetyCheck", unread="bypassPolicyLockoutSafetyCheck",
    names={"customerMasterKeySpec": "KeySpec"}, found={"enableKeyRotation": "KeyRotationEnabled", "isEnabled": "Enabled"},
    switches="enableKeyRotation isEnabled", local="deletionWindowInDays", numbers="deletionWindowInDays rotationPeriodInDays",
    same={"policy": "document"},
    tags=Tags(form="kms pairs", read=Read("ListResourceTags", {"KeyId": "$name"}, at="Tags", into="Tags"),
              write=Call("TagResource", {"KeyId": "$name", "Tags": "$tags"}), erase=Call("UntagResource", {"KeyId": "$name", "TagKeys": "$keys"})),
    states=States("KeyState", creating="Creating", absent="PendingDeletion PendingReplicaDeletion", unavailable="Unavailable PendingImport"),
    arn="Arn", extra={"keyId": "KeyId"}, holds="a key",
)  # fmt: skip

ALIAS: Final = Table(
    service="kms", kind="Alias", plural="aliases",
    create=Call("CreateAlias", {"AliasName": "alias/$name"}), reads=(Read("DescribeKey", {"KeyId": "alias/$name"}, at="KeyMetadata"),),
    updates=(Update("UpdateAlias", {"AliasName": "alias/$name"}),), delete=Call("DeleteAlias", {"AliasName": "alias/$name"}),
    settable="targetKeyId", found={"targetKeyId": "KeyId"}, same={"targetKeyId": "id"},
    arn_form="arn:$partition:kms:$region:$account:alias/$name", extra={"targetKeyArn": "Arn"},
    references=(Reference("targetKeyId", GroupKind("kms.aws.upbound.io", "Key")),),
)  # fmt: skip

TABLES: Final = (KEY, ALIAS)
