"""Refusals read as clients know them."""

import pytest

from plumbline.access.identity import Identity
from plumbline.apiserver.rbac import Attributes, forbidden, forbidden_message

ANN = Identity("ann")

REFUSALS = [
    (
        Attributes(ANN, "list", "", "v1", "pods", namespace="home"),
        "",
        'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "home"',
    ),
    (
        Attributes(ANN, "get", "apps", "v1", "deployments", "scale", "home", "web"),
        "",
        (
            'deployments.apps "web" is forbidden: User "ann" cannot get resource "deployments/scale"'
            ' in API group "apps" in the namespace "home"'
        ),
    ),
    (
        Attributes(ANN, "watch", "", "v1", "nodes"),
        "RBAC: x",
        'nodes is forbidden: User "ann" cannot watch resource "nodes" in API group "" at the cluster scope: RBAC: x',
    ),
    (Attributes(ANN, "get", path="/metrics"), "", 'forbidden: User "ann" cannot get path "/metrics"'),
    (
        Attributes(Identity('a"<b>'), "get", path="/&"),
        "<kept>",
        'forbidden: User "a\\"&lt;b&gt;" cannot get path "/&amp;": <kept>',
    ),
]


@pytest.mark.parametrize(("attributes", "reason", "message"), REFUSALS)
def test_a_refusal_says_who_cannot_do_what(attributes, reason, message):
    assert forbidden_message(attributes, reason) == message


def test_the_status_names_what_was_asked_for():
    status = forbidden(Attributes(ANN, "get", "apps", "v1", "deployments", "scale", "home", "web")).status
    assert (status["code"], status["reason"]) == (403, "Forbidden")
    assert status["details"] == {"name": "web", "group": "apps", "kind": "deployments"}
    assert forbidden(Attributes(ANN, "get", path="/")).status["details"] == {}
