"""Objects are handed over only when nobody else looks after them; who does is named, with the evidence."""

from datetime import UTC, datetime

import pytest

from plumbline.gate.rivals import ENGINES, Facts, rivals

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


def workload(name, ready=1):
    return {
        "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "argocd"},
        "status": {"readyReplicas": ready},
    }


def lease(name, renewed):
    return {"metadata": {"name": name}, "spec": {"renewTime": renewed}}


def written(manager, time):
    return {"metadata": {"name": "shop", "namespace": "argocd", "managedFields": [{"manager": manager, "time": time}]}}


@pytest.mark.parametrize(
    ("group", "facts", "names", "why"),
    [
        ("argoproj.io", Facts(), (), "nobody is there"),
        ("argoproj.io", Facts(workloads=(workload("argocd-application-controller"),)), ("Argo CD",), "it runs"),
        ("argoproj.io", Facts(workloads=(workload("argocd-application-controller", 0),)), (), "scaled down"),
        ("apps", Facts(workloads=(workload("argocd-application-controller"),)), (), "not its kinds"),
        ("argoproj.io", Facts(objects=(written("argocd-application-controller", "2026-01-01T11:58:00Z"),)), ("Argo CD",), "it wrote two minutes ago"),
        ("argoproj.io", Facts(objects=(written("argocd-application-controller", "2026-01-01T10:00:00Z"),)), (), "long ago"),
        ("argoproj.io", Facts(objects=(written("kubectl", "2026-01-01T11:59:59Z"),)), (), "a person"),
        ("apiextensions.crossplane.io", Facts(leases=(lease("crossplane-leader-election-core", "2026-01-01T11:59:50.000000Z"),)), ("Crossplane",), "its lease is renewed"),
        ("rds.aws.upbound.io", Facts(workloads=(workload("crossplane"),)), ("Crossplane",), "its providers' kinds"),
        ("bitnami.com", Facts(leases=(lease("x", None), {"spec": "odd"}), objects=({"metadata": 3}, written("x", "yesterday"))), (), "garbage is no evidence"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_who_is_alive(group, facts, names, why):
    assert tuple(rival.name for rival in rivals(group, facts, NOW)) == names


def test_the_evidence_is_named():
    found = rivals("argoproj.io", Facts(workloads=(workload("argocd-application-controller"),)), NOW)
    assert str(found[0]) == "Argo CD (StatefulSet argocd/argocd-application-controller runs)"


def test_the_quiet_time_can_be_chosen():
    facts = Facts(objects=(written("argocd-application-controller", "2026-01-01T11:58:00Z"),))
    assert rivals("argoproj.io", facts, NOW, quiet_s=60) == ()


def test_every_engine_has_ways_to_show_itself():
    assert all(engine.groups and engine.workloads and engine.managers for engine in ENGINES)
