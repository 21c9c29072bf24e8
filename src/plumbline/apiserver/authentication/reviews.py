"""Reviews: questions about access that are answered, and never stored."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.access.identity import Identity
from plumbline.apiserver.authentication.authenticator import user_info
from plumbline.apiserver.authentication.selectors import evaluation_errors, selector_errors
from plumbline.apiserver.fielderrors import FieldError, invalid
from plumbline.apiserver.rbac.attributes import Attributes
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.rbac.rules import Rule
from plumbline.apiserver.statuses import bad_request
from plumbline.apiserver.statuses import invalid as invalid_object
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind

_AUTHORIZATION: Final = "authorization.k8s.io"
# The server has forgotten the kind by the time it complains.
_NO_KIND: Final = GroupKind(_AUTHORIZATION, "")
_METADATA: Final = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)


class _Question(NamedTuple):
    """The spec of an access review; of the two kinds of attributes a good one has exactly one."""

    spec: JsonObject
    resource: JsonObject | None
    other: JsonObject | None


def subject_access_review(review: JsonObject, authorizer: Authorizer) -> JsonObject:
    """May somebody do something anywhere? Raises RequestRefused for a question that cannot be asked."""
    question = _question(review)
    _refuse_invalid([*_question_errors(question, subject=True), *_metadata_errors(review)])
    return _answered(review, question, _subject(question), authorizer)


def local_subject_access_review(review: JsonObject, namespace: str, authorizer: Authorizer) -> JsonObject:
    """May somebody do something in *namespace*? Raises RequestRefused for a question that cannot be asked."""
    metadata = _record(review.get("metadata"))
    if (given := _text(metadata, "namespace")) and given != namespace:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    placed = review | {"metadata": metadata | {"namespace": namespace}}
    question = _question(placed)
    errors = [*_question_errors(question, subject=True), *_metadata_errors(placed, local=True)]
    if question.resource is not None and (asked := _text(question.resource, "namespace")) != namespace:
        errors.append(invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace"))
    if question.other is not None:
        shown = _path_shown(question.other)
        errors.append(invalid("spec.nonResourceAttributes", shown, "disallowed on this kind of request"))
    _refuse_invalid(errors)
    return _answered(placed, question, _subject(question), authorizer)


def self_subject_access_review(review: JsonObject, identity: Identity, authorizer: Authorizer) -> JsonObject:
    """May I do something? Raises RequestRefused for a question that cannot be asked."""
    question = _question(review)
    _refuse_invalid([*_question_errors(question, subject=False), *_metadata_errors(review)])
    return _answered(review, question, identity, authorizer)


def self_subject_rules_review(review: JsonObject, identity: Identity, authorizer: Authorizer) -> JsonObject:
    """What may I do in a namespace? Raises RequestRefused where none is named."""
    namespace = _text(_record(review.get("spec")), "namespace")
    if not namespace:
        raise bad_request("no namespace on request")
    held = authorizer.rules_for(identity, namespace)
    status: JsonObject = {
        "resourceRules": [_resource_rule(rule) for rule in held.rules if rule.resources],
        "nonResourceRules": [
            {"verbs": list(rule.verbs), "nonResourceURLs": list(rule.urls)} for rule in held.rules if rule.urls
        ],
        # Rules that could not be read make it an error, not incomplete: that is for authorizers that cannot list any.
        "incomplete": False,
    }
    if fault := held.fault():
        status["evaluationError"] = fault
    return {**_head("SelfSubjectRulesReview", _AUTHORIZATION), "metadata": {}, "spec": {}, "status": status}


def self_subject_review(identity: Identity, created: str) -> JsonObject:
    """Who am I? What the question says besides is not looked at."""
    return {
        **_head("SelfSubjectReview", "authentication.k8s.io"),
        "metadata": {"creationTimestamp": created},
        "status": {"userInfo": user_info(identity)},
    }


def _answered(review: JsonObject, question: _Question, identity: Identity, authorizer: Authorizer) -> JsonObject:
    decision = authorizer.decide(_attributes(question, identity))
    status: JsonObject = {"allowed": decision.allowed}
    if decision.reason:
        status["reason"] = decision.reason
    if question.resource is not None and (fault := evaluation_errors(question.resource)):
        status["evaluationError"] = fault
    return review | {"status": status}


def _attributes(question: _Question, identity: Identity) -> Attributes:
    asked = question.resource
    if asked is None:
        path = question.other or {}
        return Attributes(identity, _text(path, "verb"), path=_text(path, "path"))
    return Attributes(
        identity,
        _text(asked, "verb"),
        _text(asked, "group"),
        _text(asked, "version") or "*",
        _text(asked, "resource"),
        _text(asked, "subresource"),
        _text(asked, "namespace"),
        _text(asked, "name"),
    )


def _question(review: JsonObject) -> _Question:
    spec = _record(review.get("spec"))
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    return _Question(
        spec,
        resource if isinstance(resource, dict) else None,
        other if isinstance(other, dict) else None,
    )


def _subject(question: _Question) -> Identity:
    spec, extra = question.spec, _record(question.spec.get("extra"))
    return Identity(
        _text(spec, "user"),
        _text(spec, "uid"),
        tuple(_texts(spec.get("groups"))),
        {key: tuple(_texts(values)) for key, values in extra.items()},
    )


def _question_errors(question: _Question, *, subject: bool) -> Iterator[FieldError]:
    resource, other = question.resource, question.other
    if resource is not None and other is not None:
        detail = "cannot be specified in combination with resourceAttributes"
        yield invalid("spec.nonResourceAttributes", _path_shown(other), detail)
    if resource is None and other is None:
        detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        yield invalid("spec.resourceAttributes", None, detail)
    if subject and not _text(question.spec, "user") and not _texts(question.spec.get("groups")):
        yield invalid("spec.user", "", "at least one of user or group must be specified")
    if resource is not None:
        yield from selector_errors(resource)


def _metadata_errors(review: JsonObject, *, local: bool = False) -> list[FieldError]:
    metadata = _record(review.get("metadata"))
    free = {"managedFields", "namespace"} if local else {"managedFields"}
    if not any(value for field, value in metadata.items() if field not in free):
        return []
    shown = {field: metadata[field] for field in _METADATA if metadata.get(field)}
    return [invalid("metadata", shown, "must be empty except for namespace" if local else "must be empty")]


def _refuse_invalid(errors: list[FieldError]) -> None:
    if errors:
        raise invalid_object(_NO_KIND, "", errors)


def _path_shown(attributes: JsonObject) -> JsonObject:
    return {"Path": _text(attributes, "path"), "Verb": _text(attributes, "verb")}


def _resource_rule(rule: Rule) -> JsonObject:
    columns: JsonObject = {
        "verbs": list(rule.verbs),
        "apiGroups": list(rule.groups),
        "resources": list(rule.resources),
        "resourceNames": list(rule.names),
    }
    return {title: column for title, column in columns.items() if column}


def _head(kind: str, group: str) -> JsonObject:
    return {"kind": kind, "apiVersion": f"{group}/v1"}


def _record(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(record: JsonObject, field: str) -> str:
    value = record.get(field)
    return value if isinstance(value, str) else ""


def _texts(value: Json) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
