"""Global projects, and repositories and clusters that are registered for one project."""

import pytest
from tests.delivery.projects.building import ONE, TWO, project

from plumbline.delivery.projects import (
    Project,
    effective,
    global_projects_of,
    permits_destination,
    permits_kind,
    permits_source,
)
from plumbline.delivery.settings import Cluster
from plumbline.delivery.settings.values import GlobalProject
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.read import read
from plumbline.kube.names import GroupKind
from plumbline.kube.selectors import EVERYTHING, LabelSelector


def test_a_project_knows_its_name_rules_and_labels():
    raw = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "shop", "labels": {"team": "a"}},
        "spec": {"sourceRepos": ["*"]},
    }
    found = Project.of(read(APP_PROJECT, raw))
    assert (found.name, found.spec.source_repos, dict(found.labels)) == ("shop", ("*",), {"team": "a"})


def test_repositories_and_clusters_of_a_project_are_permitted_in_it():
    small = Cluster(name="small", server="https://small", namespaces=("a", "b"))
    found = effective(project(), repositories=["https://git.example.com/x"], clusters=[TWO, small])
    assert permits_source(found, "https://git.example.com/x.git")
    assert permits_destination(found, TWO, "anything")
    assert permits_destination(found, small, "b")
    assert not permits_destination(found, small, "c")
    assert not permits_destination(found, ONE, "a")


def test_lists_of_global_projects_count_as_well():
    everywhere = project(
        "everywhere",
        sourceRepos=["https://shared.example.com/*"],
        destinations=[{"server": "https://one", "namespace": "shared"}],
        clusterResourceWhitelist=[{"group": "", "kind": "Namespace"}],
        clusterResourceBlacklist=[{"group": "", "kind": "Node"}],
        namespaceResourceBlacklist=[{"group": "", "kind": "Secret"}],
        syncWindows=[{"kind": "deny", "schedule": "0 0 * * *", "duration": "1h", "applications": ["*"]}],
        destinationServiceAccounts=[{"server": "*", "namespace": "*", "defaultServiceAccount": "d"}],
        sourceNamespaces=["theirs"],
        roles=[{"name": "r"}],
    )
    spec = effective(project(sourceRepos=["x"]), global_projects=[everywhere]).spec
    assert spec.source_repos == ("x", "https://shared.example.com/*")
    lists = (spec.destinations, spec.cluster_resource_whitelist, spec.cluster_resource_blacklist, spec.sync_windows)
    assert all(
        len(each) == 1 for each in (*lists, spec.namespace_resource_blacklist, spec.destination_service_accounts)
    )
    assert (spec.source_namespaces, spec.roles) == ((), ()), "who may use a project is its own affair"


@pytest.mark.parametrize(
    ("own", "other", "permitted", "why"),
    [
        (None, None, True, "two that permit everything"),
        (None, [], True, "upstream appends nothing to nothing"),
        ([], None, False, "nothing stays nothing"),
        (None, [{"group": "apps", "kind": "*"}], False, "a list that names something is a limit"),
        ([{"group": "", "kind": "*"}], [{"group": "apps", "kind": "*"}], True, "both count"),
    ],
)
def test_an_absent_list_of_kinds_is_not_an_empty_one(own, other, permitted, why):
    mine = project(**({} if own is None else {"namespaceResourceWhitelist": own}))
    theirs = project("g", **({} if other is None else {"namespaceResourceWhitelist": other}))
    found = effective(mine, global_projects=[theirs])
    assert permits_kind(found, GroupKind("", "ConfigMap"), "x", namespaced=True) is permitted, why


def test_labels_decide_which_projects_are_global_to_which():
    everywhere, teams = project("everywhere"), project("teams")
    projects = {each.name: each for each in (everywhere, teams)}
    rules = [
        GlobalProject("everywhere", EVERYTHING),
        GlobalProject("teams", LabelSelector.parse("team in (a,b)")),
        GlobalProject("missing", EVERYTHING),
    ]
    assert global_projects_of(project(labels={"team": "a"}), rules, projects) == [everywhere, teams]
    assert global_projects_of(project(labels={"team": "z"}), rules, projects) == [everywhere]
    assert global_projects_of(everywhere, rules, projects) == [], "none is global to itself"
