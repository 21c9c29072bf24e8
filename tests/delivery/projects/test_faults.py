"""Projects that nobody could mean are not written."""

import pytest

from plumbline.delivery.projects.faults import project_faults
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.read import read

SERVER = "https://192.0.2.1:8443"


def account(server=SERVER, namespace="shop", name="deployer"):
    return {"server": server, "namespace": namespace, "defaultServiceAccount": name}


CASES = [
    ({}, (), "an empty project is one"),
    ({"destinations": [{"server": "*", "namespace": "*"}, {"name": "east", "namespace": "*"}]}, (), "patterns"),
    ({"destinations": [{"server": "!*", "namespace": "a"}]}, ("server has an invalid format, '!*'",), "no server"),
    (
        {"destinations": [{"server": "a", "namespace": "!*"}]},
        ("namespace has an invalid format, '!*'",),
        "no namespace",
    ),
    ({"destinations": [{"name": "!*", "namespace": "a"}]}, ("name has an invalid format, '!*'",), "no cluster"),
    ({"destinations": [{"server": "a", "namespace": "b"}] * 3}, ("destination 'a/b' already added",) * 2, "thrice"),
    ({"sourceRepos": ["!*"]}, ("source repository has an invalid format, '!*'",), "no repository"),
    ({"sourceRepos": ["a", "a"]}, ("source repository 'a' already added",), "a repository twice"),
    ({"sourceNamespaces": ["a", "a"]}, ("source namespace 'a' already added",), "a namespace twice"),
    (
        {"roles": [{"name": "ci"}, {"name": "ci"}]},
        ("there are two roles ci", "role 'ci' already exists"),
        "a role twice",
    ),
    ({"destinationServiceAccounts": [account(), account(namespace=""), account("*", "a", "x:y")]}, (), "accounts"),
    (
        {"destinationServiceAccounts": [account(), account(name="other")]},
        (f"destinationServiceAccount '{SERVER}/shop' already added",),
        "another account for the same place",
    ),
    ({"destinationServiceAccounts": [account("!a")]}, ("server has an invalid format, '!a'",), "a server denied"),
    ({"destinationServiceAccounts": [account("[[ech*")]}, ("server has an invalid format, '[[ech*'",), "no pattern"),
    (
        {"destinationServiceAccounts": [account(namespace="!a")]},
        ("namespace has an invalid format, '!a'",),
        "a namespace denied",
    ),
    (
        {"destinationServiceAccounts": [account(namespace="[[ech*")]},
        ("namespace has an invalid format, '[[ech*'",),
        "no pattern for namespaces",
    ),
    *(
        (
            {"destinationServiceAccounts": [account(name=name)]},
            (f"defaultServiceAccount has an invalid format, '{name}'",),
            f"an account called {name!r}",
        )
        for name in ("", "   ", "a\\b", "a/b", "[a]", "{a}", "!a", "a*")
    ),
]


@pytest.mark.parametrize(("spec", "expected", "why"), CASES, ids=[case[2] for case in CASES])
def test_what_is_wrong_with_a_project_is_said(spec, expected, why):
    project = {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": "team"}, "spec": spec}
    assert project_faults("team", read(APP_PROJECT, project).spec) == expected
