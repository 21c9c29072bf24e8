"""Fields that the server refuses to know, taken off in its words."""

import pytest

from plumbline.base.errors import SchemaViolation
from plumbline.kube.apply.undeclared import undeclared, without_undeclared
from plumbline.kube.apply.validate import check_declared
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import FREE, builtin_shape

DEPLOYMENT = builtin_shape(GroupVersionKind("apps", "v1", "Deployment"))
WANTED = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {"template": {"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b", "args": ["-v"]}]}}},
}


def with_containers(*containers):
    return {**WANTED, "spec": {"template": {"spec": {"containers": list(containers)}}}}


def taken_off(config):
    """As often as the server refuses it."""
    for rounds in range(10):
        try:
            check_declared(config, DEPLOYMENT)
        except SchemaViolation as refused:
            config = without_undeclared(config, DEPLOYMENT, str(refused))
        else:
            return config, rounds
    raise AssertionError(config)


CASES = [
    ({**WANTED, "bogus": 1}, WANTED, 1, "at the top"),
    ({**WANTED, "a": 1, "b": 2}, WANTED, 2, "two in one record come one after the other"),
    ({**WANTED, "spec": {**WANTED["spec"], "bogus": {"a": [1]}}}, WANTED, 1, "with all that is below"),
    (
        with_containers({"name": "a", "image": "x", "imge": "y"}, {"name": "b", "args": ["-v"], "agrs": []}),
        WANTED,
        1,
        "in items, which have names, all at once",
    ),
    (
        {**WANTED, "metadata": {"name": "web", "labels": {"bogus": "1"}}},
        {**WANTED, "metadata": {"name": "web", "labels": {"bogus": "1"}}},
        0,
        "maps have whatever keys",
    ),
]


@pytest.mark.parametrize(("config", "kept", "rounds", "why"), CASES, ids=[each[3] for each in CASES])
def test_what_the_server_names_is_taken_off(config, kept, rounds, why):
    assert taken_off(config) == (kept, rounds), why


def test_nothing_else_is_taken_off():
    config = {**WANTED, "newer": 1}
    assert without_undeclared(config, DEPLOYMENT, "that is not it") is config
    assert without_undeclared(config, DEPLOYMENT, " .older: field not declared in schema") is config
    assert without_undeclared(config, DEPLOYMENT, " .new: field not declared in schema") is config


def test_a_schema_tells_what_it_declares():
    assert undeclared(("f:spec", "f:bogus"), DEPLOYMENT)
    assert undeclared(("f:spec", "f:template", "f:spec", "f:containers", 'k:{"name":"a"}', "f:imge"), DEPLOYMENT)
    assert not undeclared(("f:spec", "f:template", "f:spec", "f:containers", 'k:{"name":"a"}', "f:image"), DEPLOYMENT)
    assert not undeclared(("f:metadata", "f:labels", "f:anything"), DEPLOYMENT)
    assert not undeclared(("f:anything", "f:below"), FREE)
