"""Answers without what each server draws for itself, and without what ours says more than the real one does."""

import re
from collections.abc import Sequence

from tests.apiserver.scripts.goldens import Golden
from tests.apiserver.scripts.normal import normalised
from tests.apiserver.scripts.steps import Reply, Script

from plumbline.base.json import Json, encode

_DRAWN = (
    (re.compile(r"\b10\.(?:96|0)\.\d+\.\d+\b"), "(address)"),
    (re.compile(r"kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}"), "kube-api-access-(made)"),
    (re.compile(r"duplicate nodePort: {TCP \d+}"), "duplicate nodePort: (port)"),
)
_PORTS = frozenset({"nodePort", "healthCheckNodePort"})
_FIRST_PORT = 30000
_OURS_ALONE = "this control plane does not enforce them"
_CALLER = frozenset({"username", "extra"})
_IN_TWO_VERSIONS = frozenset({"Event", "HorizontalPodAutoscaler"})
"""Who owns what is not translated between versions, so it is not compared where there are two."""


def without_chance(script: Script, replies: Sequence[Reply], namespace: str) -> Golden:
    """What is to be compared, step by step."""
    return normalised(script, [_reply(each) for each in replies], namespace)


def _reply(reply: Reply) -> Reply:
    told = tuple(each for each in reply.headers.get("warning", ()) if _OURS_ALONE not in each)
    headers = {**reply.headers, "warning": tuple(map(_text, told))}
    try:
        return Reply(reply.status, headers, encode(_told(reply.json)))
    except ValueError:
        return Reply(reply.status, headers, reply.body)


def _told(value: Json) -> Json:
    if isinstance(value, dict):
        told = {key: _field(key, child) for key, child in value.items() if not _of_caller(key, value)}
        return _unowned(told) if value.get("kind") in _IN_TWO_VERSIONS or "deprecatedSource" in value else told
    if isinstance(value, list):
        return [_told(each) for each in value]
    return _text(value) if isinstance(value, str) else value


def _unowned(obj: Json) -> Json:
    metadata = {key: value for key, value in obj.get("metadata", {}).items() if key != "managedFields"}
    return {**obj, "metadata": metadata} if "metadata" in obj else obj


def _field(key: str, value: Json) -> Json:
    if key in _PORTS and isinstance(value, int) and value >= _FIRST_PORT:
        return "(port)"
    if key == "managedFields" and isinstance(value, list):
        # Their order follows seconds, which servers do not begin together.
        return sorted(
            value,
            key=lambda entry: (entry["manager"], entry["operation"], entry.get("subresource", ""), entry["apiVersion"]),
        )
    return _told(value)


def _of_caller(key: str, parent: Json) -> bool:
    """A request for a certificate says who made it, which is somebody else there than here."""
    return key in _CALLER and "signerName" in parent


def _text(text: str) -> str:
    for pattern, word in _DRAWN:
        text = pattern.sub(word, text)
    return text
