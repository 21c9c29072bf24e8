"""What a mutating webhook wants changed, applied as the API server applies it."""

from plumbline.apiserver import statuses
from plumbline.apiserver.decoding.bodies import JSON, Wanted, decoded
from plumbline.apiserver.decoding.outcome import Refusal
from plumbline.apiserver.decoding.types import Structure, body_type
from plumbline.apiserver.webhooks.invoking import in_version
from plumbline.apiserver.webhooks.matching import Invocation
from plumbline.apiserver.webhooks.reviews import JSON_PATCH, Verdict
from plumbline.apiserver.webhooks.subjects import Subject
from plumbline.apiserver.webhooks.wording import json_type, no_object
from plumbline.base.errors import InvalidInput, RequestRefused, WebhookFailed
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.patch import json_patch


async def patched(invocation: Invocation, subject: Subject, verdict: Verdict) -> Subject:
    """Raises RequestRefused for a patch that does not fit, WebhookFailed for one that is none."""
    operations = _operations(verdict)
    if not operations:
        return subject
    name = quoted(invocation.hook.name)
    if subject.obj is None:
        why = "attempted to modify the object, which is not supported for this operation"
        raise statuses.internal(f"admission webhook {name} {why}")
    if verdict.patch_type != JSON_PATCH:
        raise WebhookFailed(f"unsupported patch type {quoted(verdict.patch_type)}")
    shown, _ = await in_version(invocation, subject)
    try:
        changed = json_patch(shown, operations)
    except InvalidInput as bad:
        raise statuses.internal(str(bad)) from None
    return subject.with_object(await _read_back(invocation, subject, changed))


def _operations(verdict: Verdict) -> list[Json]:
    if not verdict.patch:
        return []
    try:
        operations = decode(verdict.patch)
    except (ValueError, RecursionError) as bad:
        raise _undecodable(_syntax(str(bad))) from None
    if operations is None:
        return []
    if not isinstance(operations, list):
        raise _undecodable(f"json: cannot unmarshal {json_type(operations)} into Go value of type jsonpatch.Patch")
    wrong = next((each for each in operations if not isinstance(each, dict)), None)
    if wrong is not None:
        raise _undecodable(f"json: cannot unmarshal {json_type(wrong)} into Go value of type jsonpatch.Operation")
    return operations


def _syntax(why: str) -> str:
    return "unexpected end of JSON input" if "truncated" in why else why


def _undecodable(why: str) -> WebhookFailed:
    return WebhookFailed(f"received undecodable patch in webhook response: {why}")


async def _read_back(invocation: Invocation, subject: Subject, changed: Json) -> JsonObject:
    """*changed* as its type holds it, in the version of the request; what the type does not know is gone."""
    kind, model, own = invocation.kind, invocation.model, subject.scope.model
    if kind != model.resource.kind:
        return _typed(changed, kind, body_type(kind))
    held = model.read(_typed(changed, kind, model.structure))
    if model is own:
        return held
    if not own.remote:
        return own.served(model.stored(held))
    (converted,) = await own.converted((held,), own.resource.kind.api_version)
    return converted


def _typed(changed: Json, kind: GroupVersionKind, type_: Structure | None) -> JsonObject:
    """Custom objects have no type: of them only the kind is looked at."""
    if not isinstance(changed, dict):
        raise statuses.internal(no_object(changed))
    if type_ is not None:
        try:
            return decoded(encode(changed), JSON, Wanted(kind, type_, strict=False)).value
        except Refusal as bad:
            raise _misfit(str(bad)) from None
    found = GroupVersionKind.of(changed)
    if found not in (kind, GroupVersionKind("", "", "")):
        raise _misfit(f"converting ({found}) to ({kind}): unknown conversion")
    return {**changed, "apiVersion": kind.api_version, "kind": kind.kind}


def _misfit(why: str) -> RequestRefused:
    """An object of another kind is well-formed; it is only found out when it should become the one that was sent."""
    return statuses.plain_failure(500, why) if why.startswith("converting (") else statuses.internal(why)
