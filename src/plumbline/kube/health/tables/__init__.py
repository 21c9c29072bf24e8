"""Kinds of operators, as tables: one file per ecosystem.

Keys are `group/Kind`; `*.group/*` is every kind of every group under it, and `group/*` every kind of that group. The
facts are those of the operators' own documentation and of Argo CD 3.5's bundled checks, messages included, because
people compare them.
"""

from collections.abc import Mapping

from plumbline.kube.health.rules import Rule
from plumbline.kube.health.tables import (
    certificates,
    clouds,
    cluster_api,
    compute,
    crossplane,
    databases,
    elastic,
    gateways,
    gitops,
    kruise,
    kubernetes,
    messaging,
    numaproj,
    observability,
    openshift,
    promoter,
    rollouts,
    secrets,
    serverless,
    storage,
    threescale,
)

RULES: Mapping[str, Rule] = {
    **certificates.RULES,
    **clouds.RULES,
    **cluster_api.RULES,
    **compute.RULES,
    **crossplane.RULES,
    **databases.RULES,
    **elastic.RULES,
    **gateways.RULES,
    **gitops.RULES,
    **kruise.RULES,
    **kubernetes.RULES,
    **messaging.RULES,
    **numaproj.RULES,
    **observability.RULES,
    **openshift.RULES,
    **promoter.RULES,
    **rollouts.RULES,
    **secrets.RULES,
    **serverless.RULES,
    **storage.RULES,
    **threescale.RULES,
}
