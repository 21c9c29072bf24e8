"""What every tool's objects go through: lists taken apart, names asked for."""

import pytest

from plumbline.base.documents import load_documents
from plumbline.base.errors import InvalidInput
from plumbline.render.manifests import found_in, manifests
from plumbline.render.requests import Found, Origin

ORIGIN = Origin("app/a.yaml", 2, 10)
A = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}
B = {"apiVersion": "v1", "kind": "A", "metadata": {"generateName": "b-"}}
HOOK = {"apiVersion": "v1", "kind": "A", "metadata": {"annotations": {"argocd.argoproj.io/hook": "PreSync"}}}


def made(body):
    return [each.object() for each in manifests([Found(body, ORIGIN)])]


UNFOLDED = [
    (A, [A], "one object"),
    (B, [B], "a name that the server gives"),
    (HOOK, [HOOK], "a hook, which gets a name from each sync"),
    ({"apiVersion": "v1", "kind": "List", "items": [A, B]}, [A, B], "a list"),
    ({"apiVersion": "v1", "kind": "ConfigMapList", "items": [A]}, [A], "a list of one kind"),
    ({"apiVersion": "v1", "kind": "Thing", "items": [A], "metadata": {"name": "x"}}, [A], "anything with items, says upstream"),
    ({"apiVersion": "v1", "kind": "List", "items": []}, [], "an empty list"),
    ({"apiVersion": "v1", "kind": "ConfigMapList", "items": None}, [], "a list of nothing at all"),
    (A | {"items": None, "spec": {}}, [A | {"items": None, "spec": {}}], "unless it has a spec"),
    (A | {"items": None, "status": {}}, [A | {"items": None, "status": {}}], "or a status"),
    (A | {"items": "text"}, [A | {"items": "text"}], "items that are no list"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected", "why"), UNFOLDED, ids=[case[2] for case in UNFOLDED])
def test_lists_are_taken_apart_as_upstream_does(body, expected, why):
    assert made(body) == expected, why


REFUSED = [
    ({"apiVersion": "v1", "metadata": {"name": "a"}}, "'Kind' is missing", "no kind"),
    (A | {"kind": 1}, "'Kind' is missing", "a kind that is no text"),
    (A | {"kind": ""}, "'Kind' is missing", "an empty kind"),
    ({"kind": "A", "metadata": {"name": "a"}}, "'apiVersion' is missing", "no version"),
    ({"apiVersion": "v1", "kind": "A"}, "no metadata", "no metadata"),
    (A | {"metadata": []}, "no metadata", "metadata of another shape"),
    (A | {"metadata": {}}, "name may not be empty", "no name"),
    (A | {"metadata": {"name": None}}, "name may not be empty", "null for a name"),
    (
        A | {"metadata": {"annotations": {"argocd.argoproj.io/hook": "Skip"}}},
        "name may not be empty",
        "skipped, so no hook",
    ),
    (A | {"metadata": {"name": 1}}, "metadata.name is not a text", "a number for a name"),
    (
        A | {"metadata": {"name": "a", "namespace": True}},
        "metadata.namespace is not a text",
        "a boolean for a namespace",
    ),
    ({"kind": "List", "items": [A, 1]}, "items member should be an object", "a list of something else"),
    (
        {"kind": "List", "items": [{"kind": "List", "items": [A]}]},
        "'apiVersion' is missing",
        "a list in a list is no object",
    ),
]


@pytest.mark.parametrize(("body", "said", "why"), REFUSED, ids=[case[2] for case in REFUSED])
def test_what_no_server_could_take_is_refused_and_named(body, said, why):
    with pytest.raises(InvalidInput, match=said) as refused:
        made(body)
    assert "app/a.yaml:10" in refused.value.what, why


def test_duplicates_are_kept_for_others_to_decide():
    assert len(manifests([Found(A, ORIGIN), Found(A, ORIGIN)])) == 2


def test_decoded_objects_are_the_callers_own():
    (made_once,) = manifests([Found(A, ORIGIN)])
    made_once.object()["metadata"]["name"] = "changed"
    assert made_once.object() == A


def test_documents_without_a_kind_are_named_by_their_line():
    with pytest.raises(InvalidInput, match=r"a\.yaml:2"):
        list(found_in(load_documents(b"\nx: 1\n"), "a.yaml"))


def test_an_origin_reads_as_people_write_it():
    assert [str(Origin("a")), str(Origin("a", 3)), str(Origin("a", 3, 7))] == ["a", "a (document 3)", "a:7"]
