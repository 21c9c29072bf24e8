"""From one version of a custom resource to another.

Without a webhook only the version's name changes. With one, this is the half that needs no network: what is asked, and
what is made of the answer.
"""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.crds.definitions.reading import mapping, sequence, text
from plumbline.apiserver.statuses import aggregated
from plumbline.apiserver.validation.metadata import annotation_errors, label_errors
from plumbline.base.errors import GarbledReply
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted, type_name
from plumbline.kube.names import GroupVersionKind

_GROUP: Final = "apiextensions.k8s.io"
_REVIEWS: Final = ("v1", "v1beta1")
_KEPT: Final = ("labels", "annotations")


def renamed(obj: JsonObject, api_version: str) -> JsonObject:
    """*obj* in another version that holds the same fields."""
    return obj if obj.get("apiVersion") == api_version else {**obj, "apiVersion": api_version}


def review_version(webhook: Json) -> str:
    """The version of ConversionReview to send: the first that both sides know."""
    versions = sequence(mapping(webhook).get("conversionReviewVersions"))
    found = next((str(version) for version in versions if version in _REVIEWS), "")
    if not found:
        raise GarbledReply("no supported conversion review versions")
    return found


def conversion_review(uid: str, desired: str, objects: Sequence[JsonObject], version: str = "v1") -> JsonObject:
    """What is sent to the webhook: *objects*, none of which has the *desired* apiVersion yet."""
    return {
        "kind": "ConversionReview",
        "apiVersion": f"{_GROUP}/{version}",
        "request": {"uid": uid, "desiredAPIVersion": desired, "objects": list(objects)},
    }


def converted(response: Json, review: JsonObject, originals: Sequence[JsonObject]) -> list[JsonObject]:
    """The objects of an answer to *review*, in order, with the metadata that a conversion may not change put back.

    Raises `GarbledReply` in the words of the server where the answer is none.
    """
    kind = GroupVersionKind.of(originals[0]) if originals else GroupVersionKind("", "", "")
    try:
        found = _objects(response, review)
    except GarbledReply as bad:
        raise GarbledReply(f"conversion webhook for {kind} failed: {bad.what}") from None
    if len(found) != len(originals):
        raise GarbledReply(f"conversion webhook for {kind} returned {len(found)} objects, expected {len(originals)}")
    desired = text(mapping(review.get("request")), "desiredAPIVersion")
    return [_checked(each, original, desired, kind) for each, original in zip(found, originals, strict=True)]


def _objects(response: Json, review: JsonObject) -> list[Json]:
    if review["apiVersion"] == f"{_GROUP}/v1":
        got = GroupVersionKind.of(mapping(response))
        wanted = GroupVersionKind(_GROUP, "v1", "ConversionReview")
        if got != wanted:
            raise GarbledReply(f"expected webhook response of {wanted}, got {got}")
    answer = mapping(response).get("response")
    if not isinstance(answer, dict):
        raise GarbledReply("no response provided")
    if review["apiVersion"] == f"{_GROUP}/v1":
        uid, echoed = text(mapping(review.get("request")), "uid"), text(answer, "uid")
        if uid != echoed:
            raise GarbledReply(f"expected response.uid={quoted(uid)}, got {quoted(echoed)}")
    result = mapping(answer.get("result"))
    if result.get("status") != "Success":
        said = f"response.result.status was '{text(result, 'status')}', not 'Success'"
        raise GarbledReply(text(result, "message") or said)
    return sequence(answer.get("convertedObjects"))


def _checked(obj: Json, original: JsonObject, desired: str, kind: GroupVersionKind) -> JsonObject:
    if not isinstance(obj, dict):
        raise GarbledReply(f"conversion webhook for {kind} returned invalid object: it is no object")
    at = f"conversion webhook for {kind} returned invalid object at index 0"
    if obj.get("apiVersion") != desired:
        raise GarbledReply(f"{at}: invalid groupVersion (expected {desired}, received {text(obj, 'apiVersion')})")
    if text(obj, "kind") != kind.kind:
        raise GarbledReply(f"{at}: invalid kind (expected {kind.kind}, received {text(obj, 'kind')})")
    before, after = mapping(original.get("metadata")), mapping(obj.get("metadata"))
    for name, title in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
        if text(before, name) != text(after, name):
            said = f"must have the same {title}: {text(before, name)} != {text(after, name)}"
            raise GarbledReply(f"conversion webhook for {kind} returned invalid object: {said}")
    try:
        return {**obj, "metadata": _restored(obj, before)}
    except GarbledReply as bad:
        raise GarbledReply(f"conversion webhook for {kind} returned invalid metadata: {bad.what}") from None


def _restored(obj: JsonObject, before: JsonObject) -> JsonObject:
    """The metadata of before, with the labels and annotations of the answer."""
    if "metadata" not in obj:
        raise GarbledReply("missing metadata in converted object")
    answered = obj["metadata"]
    if not isinstance(answered, dict):
        raise GarbledReply(f"invalid metadata of type {type_name(answered)} in converted object")
    restored = {name: value for name, value in before.items() if name not in _KEPT}
    for name in _KEPT:
        value = answered.get(name)
        if value is None:
            continue
        if not isinstance(value, dict):
            raise GarbledReply(f"invalid metadata.{name} of type {type_name(value)} in converted object")
        if value != mapping(before.get(name)):
            _check_texts(name, value)
        restored[name] = value
    return restored


def _check_texts(name: str, values: JsonObject) -> None:
    for key, value in values.items():
        if not isinstance(value, str):
            said = f"metadata.{name}[{key}] must be a string, but is {type_name(value)} in converted object"
            raise GarbledReply(said)
    errors = (
        label_errors(values, "metadata.labels")
        if name == "labels"
        else annotation_errors(values, "metadata.annotation")
    )
    if errors:
        raise GarbledReply(aggregated(map(str, errors)))
