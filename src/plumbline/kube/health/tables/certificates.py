"""cert-manager, old group and new, and Google's managed certificates."""

from collections.abc import Mapping

from plumbline.kube.health.rules import (
    Rule,
    by_condition,
    by_field,
    conditions_at,
    degraded,
    healthy,
    on,
    progressing,
)
from plumbline.kube.health.tables.common import MESSAGE, by_ready

RULES: Mapping[str, Rule] = {
    # A certificate that is being renewed is Ready False or True by chance; that it is being issued comes first.
    "cert-manager.io/Certificate": (
        by_condition(on("Issuing", "True", progressing(MESSAGE))),
        *by_ready("Waiting for certificate"),
    ),
    "cert-manager.io/ClusterIssuer": by_ready("Initializing ClusterIssuer"),
    "cert-manager.io/Issuer": by_ready("Initializing issuer"),
    "certmanager.k8s.io/Certificate": by_ready("Waiting for certificate"),
    "certmanager.k8s.io/Issuer": by_ready("Initializing issuer"),
    "networking.gke.io/ManagedCertificate": (
        conditions_at(
            "status.domainStatus",
            on("", "FailedNotVisible", degraded("At least one certificate has failed to be provisioned")),
        ),
        by_field("status.certificateStatus", {"Active": healthy("All certificates are active")}),
        progressing("At least one certificate is still being provisioned"),
    ),
}
