"""As which service account a sync acts: one that is named, or no sync (row 35)."""

import pytest
from tests.delivery.projects.building import project

from plumbline.base.errors import Forbidden
from plumbline.delivery.projects import service_account_for


def accounts(*rows):
    keys = ("server", "namespace", "defaultServiceAccount")
    return project(destinationServiceAccounts=[dict(zip(keys, row, strict=True)) for row in rows])


def user(found, server="https://one", namespace="shop", **more):
    return service_account_for(found, server, namespace, application_namespace="apps", **more)


def test_the_first_entry_that_matches_counts():
    found = accounts(("https://one", "shop", "first"), ("*", "*", "second"))
    assert user(found) == "system:serviceaccount:shop:first"
    assert user(found, namespace="web") == "system:serviceaccount:web:second"


def test_an_account_may_be_of_another_namespace():
    assert user(accounts(("*", "*", "ops:deployer"))) == "system:serviceaccount:ops:deployer"


def test_without_a_destination_namespace_that_of_the_application_counts():
    assert user(accounts(("*", "*", "deployer")), namespace="") == "system:serviceaccount:apps:deployer"


def test_without_an_account_there_is_no_sync():
    with pytest.raises(Forbidden) as refused:
        user(accounts(("https://other", "*", "deployer")))
    assert refused.value.what == (
        "no matching service account found for destination server https://one and namespace shop"
    )


@pytest.mark.parametrize("account", ["", " ", "bad*", "a/b", ":", "ns:", ":name", "!x", " :x"])
@pytest.mark.parametrize("enforced", [True, False])
def test_an_empty_or_malformed_account_never_becomes_ourselves(account, enforced):
    with pytest.raises(Forbidden) as refused:
        user(accounts(("*", "*", account)), enforced=enforced)
    assert refused.value.what.endswith(f"default service account contains invalid chars '{account}'")


@pytest.mark.parametrize("row", [("[", "*", "deployer"), ("*", "[", "deployer")])
def test_nor_does_a_pattern_that_cannot_be_read(row):
    with pytest.raises(Forbidden):
        user(accounts(row), enforced=False)


def test_ourselves_only_where_that_was_switched_on():
    assert user(accounts(), enforced=False) is None


def test_an_application_without_any_namespace_has_no_account():
    with pytest.raises(Forbidden):
        service_account_for(accounts(("*", "*", "d")), "https://one", "", application_namespace="")
