"""AdmissionReviews: what an API server asks, and answers that it understands. Pure."""

from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject

API_VERSION: Final = "admission.k8s.io/v1"
KIND: Final = "AdmissionReview"
_LONGEST_UID: Final = 253


def request_of(review: Json) -> JsonObject:
    """What is asked; InvalidInput where it is no review that anybody could answer."""
    if not isinstance(review, dict) or (review.get("apiVersion"), review.get("kind")) != (API_VERSION, KIND):
        raise InvalidInput("The review is not answered", why=f"it is no {KIND} of {API_VERSION}")
    request = review.get("request")
    uid = request.get("uid") if isinstance(request, dict) else None
    if not isinstance(request, dict) or not isinstance(uid, str) or not 0 < len(uid) <= _LONGEST_UID:
        raise InvalidInput("The review is not answered", why="it has no request with a uid")
    return request


def allowed(request: JsonObject) -> JsonObject:
    return answered(request, {"allowed": True, "status": {"metadata": {}, "code": 200}})


def refused(request: JsonObject, code: int, why: str) -> JsonObject:
    """*why* is what the person sees who asked for it."""
    return answered(request, {"allowed": False, "status": {"metadata": {}, "message": why, "code": code}})


def answered(request: JsonObject, response: JsonObject) -> JsonObject:
    return {"apiVersion": API_VERSION, "kind": KIND, "response": {"uid": request["uid"], **response}}
