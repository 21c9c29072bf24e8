import pytest

from plumbline.apiserver.crds.conversion import conversion_review, converted, renamed, review_version
from plumbline.base.errors import GarbledReply

META = {"name": "x", "namespace": "n", "uid": "u", "resourceVersion": "7", "labels": {"a": "b"}}
OLD = {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": META, "spec": {"size": 1}}
NEW = {**OLD, "apiVersion": "example.org/v2", "spec": {"width": 1}}
REVIEW = conversion_review("uid", "example.org/v2", [OLD])


def reply(*objects, uid="uid", status="Success", **result):
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "response": {"uid": uid, "result": {"status": status, **result}, "convertedObjects": list(objects)},
    }


def test_without_webhook_only_the_version_changes():
    assert renamed(OLD, "example.org/v2") == {**OLD, "apiVersion": "example.org/v2"}
    assert renamed(OLD, "example.org/v1") is OLD


def test_a_review_asks_for_every_object():
    assert REVIEW == {
        "kind": "ConversionReview",
        "apiVersion": "apiextensions.k8s.io/v1",
        "request": {"uid": "uid", "desiredAPIVersion": "example.org/v2", "objects": [OLD]},
    }


def test_the_first_review_version_that_is_known_is_sent():
    assert review_version({"conversionReviewVersions": ["v9", "v1beta1", "v1"]}) == "v1beta1"
    for unknown in ({"conversionReviewVersions": ["v9", 1]}, {}, None):
        with pytest.raises(GarbledReply, match="no supported conversion review versions"):
            review_version(unknown)


def test_labels_and_annotations_may_change_and_nothing_else_of_the_metadata():
    answered = {**NEW, "metadata": {**META, "labels": {"c": "d"}, "annotations": {"e": "f"}, "resourceVersion": "8"}}
    (kept,) = converted(reply(answered), REVIEW, [OLD])
    assert kept["spec"] == {"width": 1}
    assert kept["metadata"] == {**META, "labels": {"c": "d"}, "annotations": {"e": "f"}}


def test_an_answer_to_an_old_review_needs_no_kind():
    review = conversion_review("uid", "example.org/v2", [OLD], "v1beta1")
    answer = {"response": {"result": {"status": "Success"}, "convertedObjects": [NEW]}}
    assert converted(answer, review, [OLD]) == [NEW]


def test_nothing_becomes_of_nothing():
    review = conversion_review("uid", "example.org/v2", [])
    assert converted(reply(), review, []) == []


def moved(**metadata):
    return reply({**NEW, "metadata": {**META, **metadata}})


KIND = "conversion webhook for example.org/v1, Kind=Widget"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, f"{KIND} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got "),
        ({**reply(NEW), "response": 1}, f"{KIND} failed: no response provided"),
        (reply(NEW, uid="z"), f'{KIND} failed: expected response.uid="uid", got "z"'),
        (reply(NEW, status="Failure", message="no"), f"{KIND} failed: no"),
        (reply(NEW, status="Odd"), f"{KIND} failed: response.result.status was 'Odd', not 'Success'"),
        (reply(), f"{KIND} returned 0 objects, expected 1"),
        (reply(1), f"{KIND} returned invalid object: it is no object"),
        (
            reply(OLD),
            f"{KIND} returned invalid object at index 0: invalid groupVersion (expected example.org/v2, received example.org/v1)",
        ),
        (
            reply({**NEW, "kind": "Other"}),
            f"{KIND} returned invalid object at index 0: invalid kind (expected Widget, received Other)",
        ),
        (moved(name="y"), f"{KIND} returned invalid object: must have the same name: x != y"),
        (moved(namespace="m"), f"{KIND} returned invalid object: must have the same namespace: n != m"),
        (moved(uid="v"), f"{KIND} returned invalid object: must have the same UID: u != v"),
        (
            moved(labels=[]),
            f"{KIND} returned invalid metadata: invalid metadata.labels of type []interface {{}} in converted object",
        ),
        (
            moved(labels={"a": 1}),
            f"{KIND} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object",
        ),
        (
            moved(labels={"a b": "c"}),
            f'{KIND} returned invalid metadata: metadata.labels: Invalid value: "a b": name part must',
        ),
        (
            moved(annotations={"a b": "c"}),
            f'{KIND} returned invalid metadata: metadata.annotation: Invalid value: "a b": name part',
        ),
    ],
)
def test_answers_that_are_none_are_refused(answer, said):
    with pytest.raises(GarbledReply) as refused:
        converted(answer, REVIEW, [OLD])
    assert refused.value.what.startswith(said)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"apiVersion": "example.org/v2", "kind": "Widget"}, "missing metadata in converted object"),
        (
            {"apiVersion": "example.org/v2", "kind": "Widget", "metadata": 1},
            "invalid metadata of type int64 in converted object",
        ),
    ],
)
def test_metadata_has_to_be_there(answer, said):
    nameless = {**OLD, "metadata": {}}
    with pytest.raises(GarbledReply) as refused:
        converted(reply(answer), conversion_review("uid", "example.org/v2", [nameless]), [nameless])
    assert refused.value.what == f"{KIND} returned invalid metadata: {said}"
