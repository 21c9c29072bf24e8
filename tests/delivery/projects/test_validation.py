"""Conditions of Applications that are not as their project, or anybody, wants them."""

import pytest
from tests.delivery.projects.building import CLUSTERS, OPEN, application, project

from plumbline.delivery.projects import invalid_conditions, project_of
from plumbline.delivery.settings import Cluster, Clusters
from plumbline.kinds.application import ApplicationCondition

ANY = project(**OPEN)
SHOP = project(sourceRepos=["https://github.com/acme/*"], destinations=[{"server": "https://one", "namespace": "shop"}])


def messages(spec, within=ANY, clusters=CLUSTERS):
    found = invalid_conditions(spec, within, clusters)
    assert {condition.type for condition in found} <= {"InvalidSpecError"}
    return [condition.message for condition in found]


def test_a_good_application_has_no_conditions():
    assert messages(application(), SHOP) == []


def test_everything_that_a_project_forbids_is_said_at_once():
    spec = application(
        source={"repoURL": "https://evil.example.com/x", "path": "."},
        destination={"server": "https://two", "namespace": "shop"},
    )
    assert messages(spec, SHOP) == [
        "application repo https://evil.example.com/x is not permitted in project 'shop'",
        (
            "application destination server 'https://two' and namespace 'shop' do not match any of the allowed destinations"
            " in project 'shop'"
        ),
    ]


def test_a_cluster_is_called_as_the_application_calls_it():
    spec = application(destination={"name": "two", "namespace": "shop"})
    assert messages(spec, SHOP)[0].startswith("application destination server 'two' and namespace 'shop'")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"source": None}, "spec.source.repoURL and either spec.source.path or spec.source.chart are required"),
        (
            {"source": {"repoURL": "https://x/y", "ref": "values"}},
            "spec.source.repoURL and either spec.source.path or spec.source.chart are required",
        ),
        (
            {"source": {"repoURL": "https://x/y", "chart": "web"}},
            "spec.source.targetRevision is required if the manifest source is a helm chart",
        ),
        (
            {"sources": [{"repoURL": "https://x/y"}]},
            (
                "spec.source.repoURL and either source.path, source.chart, or source.ref are required for source"
                ' {"repoURL":"https://x/y"}'
            ),
        ),
    ],
)
def test_a_source_that_says_too_little(spec, said):
    assert messages(application(**spec)) == [said]


def test_of_several_sources_each_is_looked_at_until_one_is_malformed():
    evil, good = {"repoURL": "https://evil/x", "ref": "v"}, {"repoURL": "https://github.com/acme/shop", "path": "a"}
    refused = "application repo https://evil/x is not permitted in project 'shop'"
    assert messages(application(sources=[evil, good]), SHOP) == [refused]
    found = messages(application(sources=[evil, {"repoURL": ""}, evil]), SHOP)
    assert found[0] == refused
    assert len(found) == 2


def hydrator(dry="https://github.com/acme/shop", branch="live", **more):
    dry_source = {"repoURL": dry, "targetRevision": "main", "path": "."}
    sync_source = {"targetBranch": branch, "path": "live", **more.pop("sync", {})}
    return application(source=None, sourceHydrator={"drySource": dry_source, "syncSource": sync_source, **more})


def test_both_repositories_of_a_hydrator_have_to_be_permitted():
    assert messages(hydrator(), SHOP) == []
    assert messages(hydrator("https://evil/x", sync={"repoURL": "https://evil/y"}), SHOP) == [
        "application repo https://evil/x is not permitted in project 'shop'",
        "sync source repo https://evil/y is not permitted in project 'shop'",
    ]


def test_a_hydrator_that_says_too_little():
    assert messages(hydrator(dry="", branch="", hydrateTo={"targetBranch": ""})) == [
        "spec.sourceHydrator.drySource.repoURL is required",
        "spec.sourceHydrator.syncSource.targetBranch is required",
        "when spec.sourceHydrator.hydrateTo is set, spec.sourceHydrator.hydrateTo.targetBranch is required",
    ]


@pytest.mark.parametrize(
    ("destination", "said"),
    [
        ({}, "Destination server missing from app spec"),
        (
            {"name": "one", "server": "https://one"},
            "application destination can't have both name and server defined: one https://one",
        ),
        ({"name": "three"}, "there are no clusters with this name: three"),
        ({"name": "twin"}, "there are 2 clusters with the same name: [https://a https://b]"),
        (
            {"server": "https://three/"},
            (
                'error getting cluster by server "https://three/": rpc error: code = NotFound desc = cluster'
                ' "https://three" not found'
            ),
        ),
    ],
)
def test_a_destination_that_is_none(destination, said):
    twins = [Cluster(name="twin", server=server, secret=server) for server in ("https://a", "https://b")]
    clusters = Clusters.of([*CLUSTERS.all(), *twins])
    assert messages(application(destination=destination), ANY, clusters) == [said]


def test_an_application_needs_a_project_that_is_there():
    found = project_of(application(project="gone"), "web", "argocd", {"shop": SHOP}, "argocd")
    said = "Application referencing project gone which does not exist"
    assert found == ApplicationCondition(type="InvalidSpecError", message=said)


def test_and_one_that_it_may_use_from_where_it_is():
    found = project_of(application(), "web", "elsewhere", {"shop": SHOP}, "argocd")
    said = "application 'web' in namespace 'elsewhere' is not permitted to use project 'shop'"
    assert found == ApplicationCondition(type="UnknownError", message=said)


def test_without_a_name_it_is_the_default_project():
    default = project("default", **OPEN)
    assert project_of(application(project=""), "web", "argocd", {"default": default}, "argocd") is default
