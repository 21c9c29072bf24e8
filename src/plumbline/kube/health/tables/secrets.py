"""Operators that bring secrets into the cluster."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import items, text
from plumbline.kube.health.rules import (
    Rule,
    Stale,
    by_condition,
    by_field,
    degraded,
    evaluate,
    healthy,
    on,
    progressing,
)
from plumbline.kube.health.status import Health, Status
from plumbline.kube.health.tables.common import MESSAGE, by_ready

_UNOPENED = "Waiting for Sealed Secret to be decrypted"
_FANNED_OUT: Rule = (
    by_condition(
        on("Ready", "True", healthy(MESSAGE)),
        on("PartiallyReady|NotReady", "True", degraded(MESSAGE)),
    ),
    progressing("Waiting for ClusterExternalSecret"),
)


def _seen(waiting: str, rule: Rule) -> Rule:
    """*rule*, for what is said of the present spec.

    Argo CD takes what was said of the one before as well, and goes on with a sync although what it brought does not open.
    """
    return (Stale(waiting), *rule)


def _by_ready(kind: str) -> Rule:
    """Upstream says Ready without a generation, which counts; where there is one, it has to be the present."""
    waiting = f"Waiting for {kind}"
    return _seen(waiting, by_ready(waiting))


def _cluster_external_secret(obj: JsonObject) -> Health | None:
    """The operator appends conditions: only the last one is about the present."""
    return evaluate(_FANNED_OUT, {"status": {"conditions": items(obj, "status", "conditions")[-1:]}})


def _failed(obj: JsonObject) -> Health | None:
    said = text(obj, "status", "status")
    return Health(Status.DEGRADED, said.replace("ERROR, ", "")) if said.startswith("ERROR") else None


RULES: Mapping[str, Rule] = {
    "external-secrets.io/ClusterExternalSecret": (_cluster_external_secret,),
    "external-secrets.io/ClusterSecretStore": _by_ready("ClusterSecretStore"),
    "external-secrets.io/ExternalSecret": _by_ready("ExternalSecret"),
    "external-secrets.io/PushSecret": by_ready("Waiting for PushSecret"),
    "external-secrets.io/SecretStore": _by_ready("SecretStore"),
    "kubernetes-client.io/ExternalSecret": (
        by_field("status.status", {"SUCCESS": healthy("Fetched ExternalSecret.")}),
        _failed,
        progressing("Waiting for ExternalSecret."),
    ),
    "bitnami.com/SealedSecret": _seen(
        _UNOPENED,
        (
            by_condition(on("Synced", "False", degraded(MESSAGE)), on("Synced", "True", healthy(MESSAGE))),
            progressing(_UNOPENED),
        ),
    ),
    "onepassword.com/OnePasswordItem": by_ready("Waiting for controller to report status"),
}
