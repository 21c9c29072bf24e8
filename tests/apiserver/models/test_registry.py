"""What is served, as CRDs come and go; and where a scale is."""

import pytest

from plumbline.apiserver.models.builtin import BuiltinModel
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.models.scaling import BUILTIN
from plumbline.apiserver.resources.resource import Resource
from plumbline.kube.names import GroupKind, GroupVersionKind


def model(kind: str, version: str = "v1", group: str = "example.org") -> BuiltinModel:
    plural = f"{kind.lower()}s"
    return BuiltinModel(Resource(GroupVersionKind(group, version, kind), plural, singular="", namespaced=True))


def test_models_are_found_by_resource_and_by_kind():
    first, second = model("Thing", "v2"), model("Thing", "v1")
    registry = Registry([first, second])
    assert registry.find("example.org", "v1", "things") is second
    assert registry.find("example.org", "v3", "things") is None
    assert registry.of_kind(GroupKind("example.org", "Thing")) is first
    assert registry.of_kind(GroupKind("example.org", "Thing"), "v1") is second
    assert registry.of_kind(GroupKind("example.org", "Other")) is None
    assert registry.serves_group("example.org")
    assert not registry.serves_group("other.org")


def test_custom_models_come_and_go_and_each_time_is_a_generation():
    registry = Registry([model("Builtin")])
    seen = [registry.generation]
    gadget = model("Gadget", group="custom.org")
    registry.offer("gadgets.custom.org", [gadget])
    seen.append(registry.generation)
    assert registry.find("custom.org", "v1", "gadgets") is gadget
    registry.offer("gadgets.custom.org", ())
    seen.append(registry.generation)
    assert registry.find("custom.org", "v1", "gadgets") is None
    assert not registry.serves_group("custom.org")
    registry.offer("gadgets.custom.org", ())
    assert len(set(seen)) == 3
    assert registry.generation == seen[-1], "nothing was taken away twice"


def test_built_in_models_are_listed_first():
    builtin = model("Builtin")
    registry = Registry([builtin])
    registry.offer("b", [model("B", group="b.org")])
    registry.offer("a", [model("A", group="a.org")])
    assert [each.resource.kind.kind for each in registry.models] == ["Builtin", "A", "B"]


@pytest.mark.parametrize(
    ("selector", "expected", "why"),
    [
        ({"app": "web"}, "app=web", "labels alone"),
        ({"matchLabels": {"b": "1", "a": "2"}}, "a=2,b=1", "in order"),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["z", "y"]}]}, "a in (y,z)", "sets"),
        ({"matchExpressions": [{"key": "a", "operator": "Odd"}]}, "", "what cannot be read"),
        (None, "", "none"),
        ("x", "", "not one"),
    ],
)
def test_the_selector_of_a_scale_is_text(selector, expected, why):
    scale = BUILTIN.scale({"spec": {"replicas": 2, "selector": selector}, "status": {"replicas": 1}})
    assert scale["status"].get("selector", "") == expected, why
    assert scale["spec"] == {"replicas": 2}


def test_a_scale_of_nothing_says_so():
    assert BUILTIN.scale({}) == {"spec": {}, "status": {"replicas": 0}}
    assert BUILTIN.with_replicas({"kind": "X"}, 3) == {"kind": "X", "spec": {"replicas": 3}}
