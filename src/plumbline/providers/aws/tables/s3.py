"""Buckets and their settings."""

from typing import Final

from plumbline.base.errors import Transient
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind
from plumbline.managed.kinds import Reference
from plumbline.providers.aws.engine.scene import Scene
from plumbline.providers.aws.table import Call, Key, Read, Table, Tags, Update

_BUCKET: Final = (Reference("bucket", GroupKind("s3.aws.upbound.io", "Bucket")),)
_AT: Final = {"Bucket": "$name", "ExpectedBucketOwner": "$.expectedBucketOwner"}
_OWNER: Final = "expectedBucketOwner"
_FIRST_REGION: Final = "us-east-1"
_MOST_BATCHES: Final = 50


def _location(scene: Scene) -> JsonObject:
    """The first region of AWS is the only one that must not be named."""
    region = scene.account.region
    return {} if region == _FIRST_REGION else {"CreateBucketConfiguration": {"LocationConstraint": region}}


async def _empty_bucket(scene: Scene) -> None:
    """Delete what is in it, if `forceDestroy` says so: every version of every object, a thousand at a time."""
    if not scene.wanted.get("forceDestroy"):
        return
    for _ in range(_MOST_BATCHES):
        batch = await scene.call("ListObjectVersions", {"Bucket": scene.name, "MaxKeys": 1000})
        objects = [*batch.get("Versions", ()), *batch.get("DeleteMarkers", ())]
        if not objects:
            return
        named = [{"Key": item["Key"], "VersionId": item["VersionId"]} for item in objects]
        await scene.call("DeleteObjects", {"Bucket": scene.name, "Delete": {"Objects": named, "Quiet": True}})
    raise Transient(f"The bucket {scene.name} is not empty yet", why="it holds many objects; emptying goes on")


BUCKET: Final = Table(
    service="s3", kind="Bucket", plural="buckets", versions=("v1beta2", "v1beta1"), loose=True,
    create=Call("CreateBucket", {"Bucket": "$name"}), creation=_location,
    # One call tells both: whether there is such a bucket, and its tags.
    reads=(Read("GetBucketTagging", {"Bucket": "$name"}, none="NoSuchTagSet"),
           Read("ListObjectVersions", {"Bucket": "$name", "MaxKeys": 1}, into="Content", deleting=True)),
    delete=Call("DeleteBucket", {"Bucket": "$name"}), before_delete=_empty_bucket,
    fixed="objectLockEnabled", unread="objectLockEnabled", names={"objectLockEnabled": "ObjectLockEnabledForBucket"},
    local="forceDestroy", switches="forceDestroy",
    tags=Tags(member="", found="TagSet", write=Call("PutBucketTagging", {"Bucket": "$name", "Tagging": {"TagSet": "$tags"}})),
    arn_form="arn:$partition:s3:::$name",
    extra={
        "bucketDomainName": "join('', [_.name, '.s3.amazonaws.com'])", "bucketRegion": "_.region",
        "bucketRegionalDomainName": "join('', [_.name, '.s3.', _.region, '.amazonaws.com'])",
    },
    connection={"id": "_.name", "arn": "_.arn", "region": "_.region"},
    holds="a bucket", empty="Content && !(Content.Versions || Content.DeleteMarkers)",
)  # fmt: skip


def _versioned(found: JsonObject, scene: Scene) -> JsonObject | None:
    """A bucket whose versioning nobody ever touched says nothing; that is what `Disabled` asks for."""
    said = scene.wanted.get("versioningConfiguration") or {}
    status = (said[0] if isinstance(said, list) else said).get("status")
    if found.get("Status"):
        return found
    return {**found, "Status": "Disabled"} if status == "Disabled" else None


VERSIONING: Final = Table(
    service="s3", kind="BucketVersioning", plural="bucketversionings", versions=("v1beta2", "v1beta1"), loose=True,
    external_name="assigned", key=Key("bucket"), references=_BUCKET,
    create=Call("PutBucketVersioning", _AT | {"MFA": "$.mfa"}), reads=(Read("GetBucketVersioning", _AT),), seen=_versioned,
    updates=(Update("PutBucketVersioning", _AT | {"MFA": "$.mfa"}),),
    # It cannot be taken off a bucket, only suspended.
    delete=Call("PutBucketVersioning", _AT | {"VersioningConfiguration": {"Status": "Suspended"}}),
    gone=lambda found: found.get("Status") != "Enabled",
    settable="versioningConfiguration", found={"versioningConfiguration": "@"},
    names={"versioningConfiguration.mfaDelete": "MFADelete"},
    local=f"mfa {_OWNER}", required="versioningConfiguration",
)  # fmt: skip

_PLAIN_ENCRYPTION: Final = "AES256"


def _only_default(found: JsonObject) -> bool:
    """Buckets are always encrypted: without a configuration, with S3's own keys."""
    rules = found["ServerSideEncryptionConfiguration"]["Rules"]
    default = rules[0].get("ApplyServerSideEncryptionByDefault", {}) if len(rules) == 1 else {}
    return bool(default.get("SSEAlgorithm") == _PLAIN_ENCRYPTION and not rules[0].get("BucketKeyEnabled"))


ENCRYPTION: Final = Table(
    service="s3", kind="BucketServerSideEncryptionConfiguration", plural="bucketserversideencryptionconfigurations",
    versions=("v1beta2", "v1beta1"), loose=True, external_name="assigned", key=Key("bucket"),
    create=Call("PutBucketEncryption", _AT), reads=(Read("GetBucketEncryption", _AT),), updates=(Update("PutBucketEncryption", _AT),),
    delete=Call("DeleteBucketEncryption", _AT), gone=_only_default,
    settable="rule", names={"rule": "ServerSideEncryptionConfiguration.Rules"}, local=_OWNER, required="rule",
    references=(*_BUCKET, Reference("rule[*].applyServerSideEncryptionByDefault.kmsMasterKeyId", GroupKind("kms.aws.upbound.io", "Key"))),
)  # fmt: skip

_BLOCKS: Final = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")

PUBLIC_ACCESS: Final = Table(
    service="s3", kind="BucketPublicAccessBlock", plural="bucketpublicaccessblocks",
    external_name="assigned", key=Key("bucket"), references=_BUCKET,
    create=Call("PutPublicAccessBlock", {"Bucket": "$name", "PublicAccessBlockConfiguration": {}}),
    reads=(Read("GetPublicAccessBlock", {"Bucket": "$name"}),),
    updates=(Update("PutPublicAccessBlock", {"Bucket": "$name"}, form="whole"),),
    delete=Call("DeletePublicAccessBlock", {"Bucket": "$name"}),
    settable=" ".join(_BLOCKS),
    names={name: f"PublicAccessBlockConfiguration.{name[0].upper()}{name[1:]}" for name in _BLOCKS},
)  # fmt: skip

POLICY: Final = Table(
    service="s3", kind="BucketPolicy", plural="bucketpolicies", external_name="assigned", key=Key("bucket"), references=_BUCKET,
    create=Call("PutBucketPolicy", {"Bucket": "$name"}), reads=(Read("GetBucketPolicy", {"Bucket": "$name"}),),
    updates=(Update("PutBucketPolicy", {"Bucket": "$name"}),), delete=Call("DeleteBucketPolicy", {"Bucket": "$name"}),
    settable="policy", same={"policy": "document"}, required="policy",
)  # fmt: skip

LIFECYCLE: Final = Table(
    service="s3", kind="BucketLifecycleConfiguration", plural="bucketlifecycleconfigurations", versions=("v1beta2", "v1beta1"), loose=True,
    external_name="assigned", key=Key("bucket"), references=_BUCKET,
    create=Call("PutBucketLifecycleConfiguration", _AT), reads=(Read("GetBucketLifecycleConfiguration", _AT),),
    updates=(Update("PutBucketLifecycleConfiguration", _AT),), delete=Call("DeleteBucketLifecycle", _AT),
    settable="rule", names={"rule": "LifecycleConfiguration.Rules", "rule.id": "ID"}, found={"rule": "Rules"}, local=_OWNER, required="rule",
)  # fmt: skip

TABLES: Final = (BUCKET, VERSIONING, ENCRYPTION, PUBLIC_ACCESS, POLICY, LIFECYCLE)
