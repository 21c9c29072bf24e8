from typing import Annotated

import pytest
from msgspec import Meta

from plumbline.base.json import decode, encode
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.crd import Create, Leave, Update, crd_manifest, plan_crd
from plumbline.kinds.fields import Fields
from plumbline.kinds.kind import Column, Kind, NoStatus, Scale, Version


class Spec(Fields):
    size: Annotated[int, Meta(ge=0)] = 0


class Status(Fields):
    ready: bool = False


class Operation(Fields):
    verb: str


def widget(**changes):
    declared = {
        "group": "example.org",
        "kind": "Widget",
        "plural": "widgets",
        "description": "A thing.",
        "versions": (Version(name="v1", spec=Spec, status=Status),),
    }
    return Kind(**(declared | changes))


def test_a_crd_says_all_that_its_kind_says():
    kind = widget(
        namespaced=False,
        short_names=("wi",),
        categories=("things",),
        versions=(
            Version(
                name="v2",
                spec=Spec,
                status=Status,
                also=(("operation", Operation),),
                columns=(
                    Column(name="Size", path=".spec.size", type="integer", description="How big", priority=1),
                    Column(name="Ready", path=".status.ready"),
                ),
                selectable=(".spec.size",),
                scale=Scale(spec_replicas=".spec.size", status_replicas=".status.size", selector=".status.selector"),
            ),
            Version(name="v1", spec=Spec, status=NoStatus, status_apart=False, deprecation="use v2"),
        ),
    )
    crd = crd_manifest(kind)
    assert crd["metadata"]["name"] == "widgets.example.org"
    assert crd["spec"]["scope"] == "Cluster"
    assert crd["spec"]["names"] == {
        "kind": "Widget",
        "listKind": "WidgetList",
        "plural": "widgets",
        "singular": "widget",
        "shortNames": ["wi"],
        "categories": ["things"],
    }
    new, old = crd["spec"]["versions"]
    assert (new["name"], new["served"], new["storage"]) == ("v2", True, True)
    assert (old["name"], old["served"], old["storage"]) == ("v1", True, False)
    assert (old["deprecated"], old["deprecationWarning"]) == (True, "use v2")
    assert "subresources" not in old
    assert new["subresources"] == {
        "status": {},
        "scale": {
            "specReplicasPath": ".spec.size",
            "statusReplicasPath": ".status.size",
            "labelSelectorPath": ".status.selector",
        },
    }
    assert new["additionalPrinterColumns"] == [
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "description": "How big", "priority": 1},
        {"name": "Ready", "type": "string", "jsonPath": ".status.ready"},
    ]
    assert new["selectableFields"] == [{"jsonPath": ".spec.size"}]
    root = new["schema"]["openAPIV3Schema"]
    assert list(root["properties"]) == ["apiVersion", "kind", "metadata", "spec", "operation", "status"]


def test_names_lead_to_the_resource():
    kind = widget()
    assert kind.crd_name == "widgets.example.org"
    assert str(kind.gvk) == "example.org/v1, Kind=Widget"
    assert kind.resource.root == "/apis/example.org/v1"


MISTAKES = [
    ({"versions": ()}, "the stored version comes first", "a kind without versions"),
    ({"versions": (Version(name="v1", spec=Spec, status=Status, served=False),)}, "is served", "nobody could read it"),
    ({"versions": (Version(name="v1", spec=Spec, status=Status),) * 2}, "declared twice", "two of a name"),
]


@pytest.mark.parametrize(("changes", "says", "why"), MISTAKES)
def test_a_kind_that_cannot_be_served_is_not_made(changes, says, why):
    with pytest.raises(TypeError, match=says):
        widget(**changes)


def test_a_status_may_always_be_missing():
    class Demanding(Fields):
        phase: str

    with pytest.raises(TypeError, match="demands phase"):
        Version(name="v1", spec=Spec, status=Demanding)


def live(kind, **metadata):
    """The kind's CRD as an API server returns it."""
    crd = decode(encode(crd_manifest(kind)))
    crd["metadata"] |= {"uid": "u-1", "resourceVersion": "7"} | metadata
    crd["status"] = {"storedVersions": [kind.versions[0].name]}
    return crd


BIGGER = widget(
    versions=(Version(name="v1", spec=Spec, status=Status, columns=(Column(name="S", path=".spec.size"),)),)
)


def test_an_absent_crd_is_created():
    ours = crd_manifest(widget())
    assert plan_crd(ours, None) == Create(ours)


def test_an_unchanged_crd_is_left():
    assert plan_crd(crd_manifest(widget()), live(widget())) == Leave("It is up to date")


@pytest.mark.parametrize(
    ("labels", "annotations", "installer"),
    [
        ({}, {}, "somebody else"),
        ({"app.kubernetes.io/part-of": "argocd"}, {}, "argocd"),
        ({"app.kubernetes.io/managed-by": "Helm"}, {"plumbline.dev/schema-hash": "x"}, "Helm"),
        ({"app.kubernetes.io/managed-by": "plumbline"}, {}, "somebody else"),
        (None, None, "somebody else"),
    ],
)
def test_a_crd_that_is_not_provably_ours_is_never_changed(labels, annotations, installer):
    theirs = live(widget(), labels=labels, annotations=annotations)
    decision = plan_crd(crd_manifest(BIGGER), theirs)
    assert decision == Leave(f"It was installed by {installer} and stays as it is")


def test_ours_is_replaced_when_its_schema_changed_and_only_as_it_was_seen():
    before = live(widget(), labels={"app.kubernetes.io/managed-by": "plumbline", "team": "a"})
    snapshot = encode(before)
    decision = plan_crd(crd_manifest(BIGGER), before)
    assert isinstance(decision, Update)
    metadata = decision.manifest["metadata"]
    assert (metadata["uid"], metadata["resourceVersion"]) == ("u-1", "7")
    assert metadata["labels"]["team"] == "a", "labels that others put on it stay"
    assert decision.manifest["spec"] == crd_manifest(BIGGER)["spec"]
    assert encode(before) == snapshot, "nothing that was handed in has changed"


def test_a_version_in_which_objects_are_stored_is_never_dropped():
    old = live(widget(versions=(Version(name="v1alpha1", spec=Spec, status=Status),)))
    decision = plan_crd(crd_manifest(widget()), old)
    assert isinstance(decision, Update)
    assert [(v["name"], v["storage"]) for v in decision.manifest["spec"]["versions"]] == [
        ("v1", True),
        ("v1alpha1", False),
    ]


def test_a_version_that_holds_no_objects_goes():
    old = live(
        widget(versions=(Version(name="v1", spec=Spec, status=Status), Version(name="v0", spec=Spec, status=Status)))
    )
    decision = plan_crd(crd_manifest(widget()), old)
    assert isinstance(decision, Update)
    assert [v["name"] for v in decision.manifest["spec"]["versions"]] == ["v1"]


def test_what_the_server_would_refuse_is_said_instead():
    leaving = live(widget(), deletionTimestamp="2026-01-01T00:00:00Z")
    assert plan_crd(crd_manifest(BIGGER), leaving) == Leave("It is being deleted")
    moved = plan_crd(crd_manifest(widget(namespaced=False)), live(widget()))
    assert moved == Leave("Its scope is Namespaced, which cannot change while it exists")


def test_the_hash_follows_the_schema_and_nothing_else():
    assert crd_manifest(widget()) == crd_manifest(widget())
    assert crd_manifest(widget())["metadata"] != crd_manifest(BIGGER)["metadata"]


def test_a_deep_status_is_one_field_and_described_one_level_deep():
    status = crd_manifest(APPLICATION)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
    assert status["x-kubernetes-map-type"] == "atomic"
    assert status["properties"]["sync"] == {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    assert "properties" not in status["properties"]["history"]["items"]
