"""Every CRD that a provider of ours may bring is one that the real API server takes, to the last field."""

import pytest

from plumbline.base.clock import SystemClock
from plumbline.managed.manifests import config_crd, config_kinds, managed_crd
from plumbline.providers import aws, azure, gcp, kubernetes, sql

pytestmark = pytest.mark.conformance

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def catalogue():
    clock = SystemClock()
    return (
        *aws.kinds(aws.Clients()),
        *gcp.kinds(gcp.Connections(clock)),
        *azure.kinds(azure.Connections(clock)),
        *kubernetes.kinds(None, clusters=kubernetes.Clusters(None), query=None),
        *sql.kinds(sql.Servers()),
    )


def test_every_kind_of_every_provider_is_accepted(real_cluster):
    kinds = catalogue()
    configs = {each for kind in kinds for each in config_kinds(kind.provider, namespaced=kind.namespaced)}
    crds = [*map(managed_crd, kinds), *map(config_crd, configs)]
    answers = {
        crd["metadata"]["name"]: real_cluster.post(CRDS, crd, dryRun="All", fieldValidation="Strict") for crd in crds
    }
    assert {name: answer.body for name, answer in answers.items() if not answer.fine} == {}
    assert len(answers) > 100
