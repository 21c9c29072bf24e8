"""A cluster is asked who owns what: as little as possible, and without stopping at what may not be seen."""

import pytest

from plumbline.base.errors import Unreachable
from plumbline.kube.names import Ref
from plumbline.ownership import ClusterObject, External
from plumbline.ownership.gathering import climb, gather

from .cluster import SmallCluster
from .sample import ACCOUNT, SHOP, obj, tracked

DATABASE = External("aws_db_instance", "orders", "us-east-1")
POD = ClusterObject(Ref("", "Pod", "shop", "web-1-x"))
WEB = ClusterObject(Ref("apps", "Deployment", "shop", "web"))


async def test_a_database_leads_through_its_claim_to_the_application():
    gathered = await gather(SmallCluster(*SHOP).client)
    chain = gathered.ledger.chain(DATABASE)
    assert [str(link.resource) for link in chain] == [
        "aws_db_instance/orders (us-east-1)",
        "Instance.rds.aws.upbound.io/orders-x-1",
        "XDatabase.example.org/orders-x",
        "Database.example.org/shop/orders",
        "Application.argoproj.io/argocd/shop",
    ]
    assert str(gathered.ledger.root_of(DATABASE)) == "Application argocd/shop"
    assert gathered.unseen == ()


async def test_terraform_state_takes_part_and_stays_secret():
    gathered = await gather(SmallCluster(*SHOP).client)
    vpc = External("aws_vpc", "vpc-1", "us-east-1", ACCOUNT)
    assert str(gathered.ledger.owner_of(vpc)) == "Terraform infra/net"
    (conflict,) = gathered.ledger.conflicts()
    assert conflict.resource == WEB
    assert {str(claim.owner) for claim in conflict.claims} == {"Application argocd/shop", "Terraform infra/net"}
    assert "hunter2" not in repr(list(gathered.ledger.claims()))


async def test_most_objects_are_listed_as_metadata_and_children_not_at_all():
    cluster = SmallCluster(*SHOP)
    await gather(cluster.client)
    lists = {}
    for request in cluster.requests:
        lists.setdefault(request.path.rpartition("/")[2], []).append(
            "PartialObjectMetadata" in dict(request.headers)["Accept"]
        )
    assert "pods" not in lists
    assert "replicasets" not in lists
    assert "nodes" not in lists
    assert lists["deployments"] == lists["applications"] == lists["xdatabases"] == [True]
    assert lists["instances"] == lists["terraforms"] == [False]
    assert sorted(lists["secrets"]) == [False, True], "whole ones only of states"


async def test_children_are_looked_at_when_somebody_asks():
    cluster = SmallCluster(*SHOP)
    gathered = await gather(cluster.client)
    assert gathered.ledger.root_of(POD) is None
    before = len(cluster.requests)
    await climb(cluster.client, gathered, POD)
    assert [str(link.resource) for link in gathered.ledger.chain(POD)][:3] == [
        "Pod/shop/web-1-x",
        "ReplicaSet.apps/shop/web-1",
        "Deployment.apps/shop/web",
    ]
    asked = [request.path for request in cluster.requests[before:] if "/namespaces/" in request.path]
    assert len(asked) == 2
    await climb(cluster.client, gathered, WEB)
    await climb(cluster.client, gathered, ClusterObject(Ref("", "Pod", "shop", "none")))
    await climb(cluster.client, gathered, ClusterObject(Ref("odd", "Kind", "shop", "none")))


async def test_what_may_not_be_seen_is_named_and_the_rest_goes_on():
    gathered = await gather(SmallCluster(*SHOP, refused={"Secret", "CompositeResourceDefinition"}).client)
    assert {each.what for each in gathered.unseen} == {
        "Secret",
        "CompositeResourceDefinition.apiextensions.crossplane.io",
    }
    assert str(gathered.ledger.owner_of(WEB)) == "Application argocd/shop"


async def test_the_settings_of_argo_cd_are_followed():
    settings = obj(
        "v1 ConfigMap",
        "argocd-cm",
        "gitops",
        data={
            "application.resourceTrackingMethod": "label",
            "application.instanceLabelKey": "mine",
            "installationID": "x",
        },
    )
    labelled = obj("v1 ConfigMap", "a", "shop", metadata={"labels": {"mine": "shop"}})
    gathered = await gather(SmallCluster(settings, labelled).client)
    assert str(gathered.ledger.owner_of(ClusterObject(Ref("", "ConfigMap", "shop", "a")))) == "Application gitops/shop"


@pytest.mark.parametrize("more", [(), (obj("v1 ConfigMap", "argocd-cm", "a"), obj("v1 ConfigMap", "argocd-cm", "b"))])
async def test_without_settings_or_with_several_the_usual_is_meant(more):
    mapped = obj("v1 ConfigMap", "a", "shop", metadata=tracked("shop", "/ConfigMap", "shop", "a"))
    gathered = await gather(SmallCluster(mapped, *more).client)
    assert str(gathered.ledger.owner_of(ClusterObject(Ref("", "ConfigMap", "shop", "a")))) == "Application argocd/shop"


async def test_odd_settings_and_kinds_that_are_not_there_do_no_harm():
    settings = obj("v1 ConfigMap", "argocd-cm", "argocd", data={"application.resourceTrackingMethod": "odd"})
    gathered = await gather(SmallCluster(settings, absent={"Terraform", "ProviderConfig"}).client)
    assert gathered.setting.tracking.method == "annotation"


async def test_objects_of_provider_kubernetes_that_stay_here_claim_here():
    inner = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "shop"}}
    held = obj("kubernetes.crossplane.io/v1alpha2 Object", "a", spec={"forProvider": {"manifest": inner}})
    config = obj(
        "kubernetes.crossplane.io/v1alpha2 ProviderConfig",
        "default",
        spec={"credentials": {"source": "InjectedIdentity"}},
    )
    gathered = await gather(SmallCluster(held, config).client)
    mapped = ClusterObject(Ref("", "ConfigMap", "shop", "a"))
    assert str(gathered.ledger.owner_of(mapped)) == "managed resource Object.kubernetes.crossplane.io/a"


async def test_states_that_cannot_be_read_are_named():
    torn = obj("v1 Secret", "a", "infra", metadata={"labels": {"tfstate": "true"}}, data={"tfstate": "eA=="})
    no_state = obj(
        "v1 Secret",
        "b",
        "infra",
        metadata={"labels": {"tfstate": "true"}},
        data={"tfstate": "H4sIAAAAAAAC/6uuBQBDv6ajAgAAAA=="},
    )
    gathered = await gather(SmallCluster(torn, no_state).client)
    assert {each.what for each in gathered.unseen} == {"Secret/infra/a", "Secret/infra/b"}


async def test_a_cluster_that_does_not_answer_is_an_error():
    class Gone(SmallCluster):
        async def send(self, request):
            if request.path.endswith("configmaps"):
                raise Unreachable("gone")
            return await super().send(request)

    with pytest.raises(Unreachable):
        await gather(Gone().client.within(0.1))
