"""Crossplane and what is built on it: managed resources, packages and the configuration around them."""

from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, condition, text
from plumbline.kube.health.rules import (
    Rule,
    by_condition,
    conditions_at,
    degraded,
    healthy,
    note,
    on,
    progressing,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE

_FRESH: Final = "Resource is up-to-date."

_PROVIDER_SETTINGS: Final = frozenset(
    {"ClusterProviderConfig", "ClusterProviderConfigUsage", "ProviderConfig", "ProviderConfigUsage", "StoreConfig"}
)
_SETTINGS: Final = _PROVIDER_SETTINGS | {
    "Composition",
    "CompositionRevision",
    "ControllerConfig",
    "DeploymentRuntimeConfig",
    "EnvironmentConfig",
    "ImageConfig",
}


class Settings(msgspec.Struct, frozen=True):
    """Kinds that nothing reconciles: no conditions means that they are well, not that they are late."""

    kinds: frozenset[str]

    def __call__(self, obj: JsonObject) -> Health | None:
        if text(obj, "kind") not in self.kinds or at(obj, "status", "conditions"):
            return None
        used = at(obj, "status", "users") is not None
        return Health(Status.HEALTHY, "Resource is in use." if used else _FRESH)


def _managed(settings: frozenset[str], well: str) -> Rule:
    return (
        Settings(settings),
        by_condition(
            on("LastAsyncOperation|Synced", "False", degraded(MESSAGE)),
            note(well, "True", healthy(_FRESH)),
        ),
        progressing("Provisioning ..."),
    )


class Paired(msgspec.Struct, frozen=True):
    """Both Ready and Synced, as the classic AWS provider has them."""

    noun: str

    def __call__(self, obj: JsonObject) -> Health:
        if at(obj, "status", "conditions") is None:
            return Health(Status.PROGRESSING, f"Waiting for {self.noun} to be created")
        ready, synced = condition(obj, "Ready"), condition(obj, "Synced")
        reason = text(synced, "reason")
        if synced.get("status") == "True":
            if ready.get("status") == "True":
                return Health(Status.HEALTHY, text(ready, "reason"))
            return Health(Status.PROGRESSING, f"Waiting for {self.noun} to be available")
        if reason == "ReconcilePaused":
            return Health(Status.SUSPENDED, reason)
        return Health(Status.DEGRADED, text(synced, "message") if reason == "ReconcileError" else "")


def _provider(obj: JsonObject) -> Health:
    if at(obj, "status", "conditions") is None:
        return Health(Status.PROGRESSING, "Waiting for provider to be installed")
    both = condition(obj, "Installed"), condition(obj, "Healthy")
    well = all(each.get("status") == "True" for each in both)
    said = " ".join(text(each, "reason") for each in both)
    return Health(Status.HEALTHY if well else Status.DEGRADED, said)


def _paired(noun: str) -> Rule:
    return (Paired(noun),)


RULES: Mapping[str, Rule] = {
    "*.crossplane.io/*": _managed(_SETTINGS, "Ready|Healthy|Offered|Established|ValidPipeline|RevisionHealthy"),
    "*.upbound.io/*": _managed(_PROVIDER_SETTINGS, "Ready"),
    "pkg.crossplane.io/Provider": (_provider,),
    "stacks.crossplane.io/ClusterStackInstall": (
        conditions_at(
            "status.conditionedStatus.conditions",
            on("Ready", "True", healthy("{reason}")),
            note("Ready", "", progressing("{reason}")),
        ),
        progressing("Waiting for stack to be installed"),
    ),
    "cloudfront.aws.crossplane.io/Distribution": _paired("distribution"),
    "iam.aws.crossplane.io/Policy": _paired("Policy"),
    "iam.aws.crossplane.io/Role": _paired("Role"),
    "iam.aws.crossplane.io/RolePolicyAttachment": _paired("RolePolicyAttachment"),
    "rds.aws.crossplane.io/DBCluster": _paired("DBCluster"),
    "rds.aws.crossplane.io/DBInstance": _paired("DBInstance"),
    "route53.aws.crossplane.io/ResourceRecordSet": _paired("resourcrecordset"),
    "s3.aws.crossplane.io/Bucket": _paired("Bucket"),
}
