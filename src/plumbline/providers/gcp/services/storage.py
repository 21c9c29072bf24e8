"""Cloud Storage: buckets."""

from typing import Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.managed.external import Difference
from plumbline.providers.gcp.tables import Place, Table, Way


def _report(found: JsonObject, place: Place) -> JsonObject:
    retention = (found.get("objectRetention") or {}).get("mode")
    report: JsonObject = {"url": f"gs://{place['name']}", "enableObjectRetention": True if retention else None}
    return {name: value for name, value in report.items() if value is not None}


def _settle(differences: tuple[Difference, ...], _wanted: JsonObject, _found: JsonObject) -> tuple[Difference, ...]:
    # A locked policy stays locked as long as the bucket lives.
    return tuple(
        msgspec.structs.replace(difference, replaces=True)
        if difference.path == "retentionPolicy.isLocked" and not difference.wanted
        else difference
        for difference in differences
    )


def _guard(found: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    return {}, {"ifMetagenerationMatch": str(found.get("metageneration", ""))}


BUCKET: Final = Table(
    api="storage.v1",
    resource="Bucket",
    required=("location",),
    collection="buckets",
    params={
        "bucket": "{name}",
        "project": "{project}",
        "userProject": "{billing}",
        "enableObjectRetention": "{enableObjectRetention}",
    },
    parents=("enableObjectRetention",),
    optional_parents=frozenset({"enableObjectRetention"}),
    parent_types={"enableObjectRetention": "boolean"},
    identity="{name}",
    body={"name": "{name}"},
    fields={
        "": "location!^ storageClass rpo defaultEventBasedHold labels requesterPays=billing.requesterPays"
        " publicAccessPrevention=iamConfiguration.publicAccessPrevention"
        " uniformBucketLevelAccess=iamConfiguration.uniformBucketLevelAccess.enabled",
        "autoclass": "enabled terminalStorageClass",
        "cors[]": "maxAgeSeconds method origin responseHeader",
        "customPlacementConfig": "dataLocations!^",
        "encryption": "defaultKmsKeyName",
        "hierarchicalNamespace": "enabled!",
        "ipFilter": "mode allowAllServiceAgentAccess allowCrossOrgVpcs",
        "ipFilter.publicNetworkSource": "allowedIpCidrRanges",
        "ipFilter.vpcNetworkSources[]": "allowedIpCidrRanges network@",
        "lifecycleRule[]=lifecycle.rule": "",
        "lifecycleRule[].action": "type storageClass",
        "lifecycleRule[].condition": "age createdBefore customTimeBefore daysSinceCustomTime daysSinceNoncurrentTime"
        " matchesPrefix matchesStorageClass matchesSuffix noncurrentTimeBefore numNewerVersions withState=isLive",
        "logging": "logBucket logObjectPrefix",
        "retentionPolicy": "retentionPeriod isLocked",
        "softDeletePolicy": "retentionDurationSeconds",
        "versioning": "enabled",
        "website": "mainPageSuffix notFoundPage",
    },
    says={"lifecycleRule.condition.withState": {"LIVE": True, "ARCHIVED": False, "ANY": None}},
    reports="selfLink projectNumber timeCreated updated",
    local={"forceDestroy": "boolean"},
    ways=(Way(fields=("retentionPolicy.isLocked",), method="lockRetentionPolicy", body=lambda _body: None),),
    report=_report,
    holds=lambda _found: "the objects in the bucket",
    settle=_settle,
    guard=_guard,
    emptied=("objects.list", "objects.delete"),
)

TABLES: Final = (BUCKET,)
