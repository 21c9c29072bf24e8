"""Which repositories are asked on: those that something on the cluster names."""

from types import SimpleNamespace

import pytest

from plumbline.base.json import encode
from plumbline.delivery.routing import Routes
from plumbline.kernel.cache import Relevance, cached
from plumbline.source.urls import mirror_key
from plumbline.wiring.rooms import Rooms

URL = "https://forge.example/team/app.git"


def application():
    metadata = {"name": "web", "namespace": "argocd", "uid": "u"}
    return cached(encode({"metadata": metadata, "spec": {"source": {"repoURL": URL}}}), Relevance())


def rooms(*, complete=True, terraform=()):
    delivery = SimpleNamespace(applications=SimpleNamespace(complete=complete), routes=Routes())
    repositories = SimpleNamespace(names={mirror_key(each) for each in terraform}.__contains__)
    return SimpleNamespace(delivery=delivery, terraforming=SimpleNamespace(repositories=repositories))


def test_what_an_application_names_is_wanted():
    known = rooms()
    assert not Rooms._wanted(known, URL)
    known.delivery.routes.follow(None, application())
    assert Rooms._wanted(known, URL.removesuffix(".git"))
    known.delivery.routes.follow(application(), None)
    assert not Rooms._wanted(known, URL)


def test_what_terraform_comes_from_is_wanted():
    assert Rooms._wanted(rooms(terraform=[URL]), URL)


@pytest.mark.parametrize("known", [SimpleNamespace(delivery=None, terraforming=None), rooms(complete=False)])
def test_all_is_wanted_until_somebody_knows(known):
    assert Rooms._wanted(known, URL)
