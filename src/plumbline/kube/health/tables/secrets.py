"""Operators that bring secrets into the cluster."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import items, text
from plumbline.kube.health.rules import Rule, by_condition, by_field, degraded, evaluate, healthy, on, progressing
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE, by_ready

_FANNED_OUT: Rule = (
    by_condition(
        on("Ready", "True", healthy(MESSAGE)),
        on("PartiallyReady|NotReady", "True", degraded(MESSAGE)),
    ),
    progressing("Waiting for ClusterExternalSecret"),
)


def _cluster_external_secret(obj: JsonObject) -> Health | None:
    """The operator appends conditions: only the last one is about the present."""
    return evaluate(_FANNED_OUT, {"status": {"conditions": items(obj, "status", "conditions")[-1:]}})


def _failed(obj: JsonObject) -> Health | None:
    said = text(obj, "status", "status")
    return Health(Status.DEGRADED, said.replace("ERROR, ", "")) if said.startswith("ERROR") else None


RULES: Mapping[str, Rule] = {
    "external-secrets.io/ClusterExternalSecret": (_cluster_external_secret,),
    "external-secrets.io/ClusterSecretStore": by_ready("Waiting for ClusterSecretStore"),
    "external-secrets.io/ExternalSecret": by_ready("Waiting for ExternalSecret"),
    "external-secrets.io/PushSecret": by_ready("Waiting for PushSecret"),
    "external-secrets.io/SecretStore": by_ready("Waiting for SecretStore"),
    "kubernetes-client.io/ExternalSecret": (
        by_field("status.status", {"SUCCESS": healthy("Fetched ExternalSecret.")}),
        _failed,
        progressing("Waiting for ExternalSecret."),
    ),
    "bitnami.com/SealedSecret": (
        by_condition(on("Synced", "False", degraded(MESSAGE)), on("Synced", "True", healthy(MESSAGE))),
        progressing("Waiting for Sealed Secret to be decrypted"),
    ),
    "onepassword.com/OnePasswordItem": by_ready("Waiting for controller to report status"),
}
