"""AdmissionReview: what a webhook is asked, and what its answer may be."""

import base64
import binascii
from typing import Final

import msgspec

from plumbline.apiserver.webhooks.hooks import ReviewVersion
from plumbline.apiserver.webhooks.matching import Invocation
from plumbline.apiserver.webhooks.subjects import Subject
from plumbline.apiserver.webhooks.wording import unmarshal_error
from plumbline.base.errors import WebhookFailed
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind, GroupVersionResource

GROUP: Final = "admission.k8s.io"
KIND: Final = "AdmissionReview"
JSON_PATCH: Final = "JSONPatch"
_FIELDS: Final = {
    "uid": (str, "types.UID"),
    "allowed": (bool, "bool"),
    "status": (dict, "v1.Status"),
    "patch": (str, "[]uint8"),
    "patchType": (str, "v1.PatchType"),
    "auditAnnotations": (dict, "map[string]string"),
    "warnings": (list, "[]string"),
}


class Verdict(msgspec.Struct, frozen=True):
    allowed: bool
    status: JsonObject | None
    """What the webhook says about its refusal."""
    patch: bytes
    patch_type: str
    warnings: tuple[str, ...]


def review_of(subject: Subject, invocation: Invocation, uid: str, obj: Json, old: Json) -> JsonObject:
    """In the order of fields in which API servers send them."""
    version = invocation.hook.version or ReviewVersion.V1
    request = request_of(subject, invocation, uid)
    dry_run, options = request.pop("dryRun"), request.pop("options")
    return {
        "kind": KIND,
        "apiVersion": f"{GROUP}/{version.value}",
        "request": {**request, "object": obj, "oldObject": old, "dryRun": dry_run, "options": options},
    }


def request_of(subject: Subject, invocation: Invocation, uid: str) -> JsonObject:
    """Everything about a request but the objects."""
    below = subject.subresource
    request: JsonObject = {
        "uid": uid,
        "kind": _kind(invocation.kind),
        "resource": _resource(invocation.resource),
        "subResource": below,
        "requestKind": _kind(subject.kind),
        "requestResource": _resource(subject.resource),
        "requestSubResource": below,
        "name": subject.name,
        "namespace": subject.namespace,
        "operation": subject.operation.value,
        "userInfo": _user(subject),
        "dryRun": subject.scope.dry_run,
        "options": subject.options,
    }
    return {name: value for name, value in request.items() if value != "" or name == "uid"}


def _kind(kind: GroupVersionKind) -> JsonObject:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _resource(resource: GroupVersionResource) -> JsonObject:
    return {"group": resource.group, "version": resource.version, "resource": resource.resource}


def _user(subject: Subject) -> JsonObject:
    identity = subject.scope.identity
    extra = {name: list(values) for name, values in identity.extra.items()}
    user = {"username": identity.name, "uid": identity.uid, "groups": list(identity.groups), "extra": extra}
    return {name: value for name, value in user.items() if value}


def verdict_of(answer: JsonObject, uid: str, version: ReviewVersion, *, mutating: bool) -> Verdict:
    """What an answer says; raises WebhookFailed for one that is none."""
    response = answer.get("response")
    _check_types(response)
    if response is None:
        raise _invalid("webhook response was absent")
    patch, patch_type = _patch(response), response.get("patchType")
    if version is ReviewVersion.V1:
        _check_identity(answer, response, uid)
        _check_patch(patch, patch_type, mutating=mutating)
    elif not mutating:
        patch = b""
    else:
        patch_type = JSON_PATCH
    warnings = tuple(each for each in response.get("warnings") or ())
    allowed = bool(response.get("allowed"))
    return Verdict(allowed, response.get("status"), patch, patch_type or "", warnings)


def _check_types(response: Json) -> None:
    if response is None:
        return
    if not isinstance(response, dict):
        raise _undecodable(unmarshal_error(response, "AdmissionReview.response", "v1.AdmissionResponse"))
    for field, (wanted, name) in _FIELDS.items():
        value = response.get(field)
        if value is not None and not isinstance(value, wanted):
            raise _undecodable(unmarshal_error(value, f"AdmissionResponse.response.{field}", name))
    for each in response.get("warnings") or ():
        if not isinstance(each, str):
            raise _undecodable(unmarshal_error(each, "AdmissionResponse.response.warnings", "string"))


def _patch(response: JsonObject) -> bytes:
    text = str(response.get("patch") or "")
    try:
        return base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        raise _undecodable(f"illegal base64 data at input byte {_first_illegal(text)}") from None


def _first_illegal(text: str) -> int:
    allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\r\n"
    return next((at for at, char in enumerate(text) if char not in allowed), len(text))


def _check_identity(answer: JsonObject, response: JsonObject, uid: str) -> None:
    given = response.get("uid") or ""
    if given != uid:
        raise _invalid(f"expected response.uid={quoted(uid)}, got {quoted(given)}")
    found = GroupVersionKind.of(answer)
    wanted = GroupVersionKind(GROUP, ReviewVersion.V1.value, KIND)
    if found != wanted:
        raise _invalid(f"expected webhook response of {wanted}, got {found}")


def _check_patch(patch: bytes, patch_type: str | None, *, mutating: bool) -> None:
    if not mutating:
        if patch:
            raise _invalid("validating webhook may not return response.patch")
        if patch_type is not None:
            raise _invalid("validating webhook may not return response.patchType")
    elif patch and patch_type is None:
        raise _invalid("webhook returned response.patch but not response.patchType")
    elif patch_type is not None and not patch:
        raise _invalid("webhook returned response.patchType but not response.patch")
    elif patch_type == "":
        raise _invalid('webhook returned invalid response.patchType of ""')


def _invalid(why: str) -> WebhookFailed:
    return WebhookFailed(f"received invalid webhook response: {why}")


def _undecodable(why: str) -> WebhookFailed:
    return WebhookFailed(f"failed to call webhook: {why}")
