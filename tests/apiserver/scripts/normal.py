"""Replies without what only one server can know: uids, times, revisions, made names, the namespace's name.

What a server draws is replaced by the order in which a script first meets it, so that it still shows whether two
replies speak of the same object, or of the same version of it.
"""

import hashlib
import re
from collections.abc import Sequence

from tests.apiserver.scripts.steps import Reply, Script

from plumbline.base.json import Json, JsonObject

HEADERS = ("allow", "cache-control", "content-type", "location", "retry-after", "vary", "warning")
LONGEST = 400
_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_AGE = re.compile(r"(?:\d+[smhd])+|<unknown>|<invalid>")
_REVISIONS = (
    (re.compile(r"in record \(\d+\)"), "in record (version)"),
    (re.compile(r"current: \d+"), "current: (version)"),
    (re.compile(r"too old resource version: \d+ \(\d+\)"), "too old resource version: (version)"),
    (re.compile(r'resourceVersion(\\?": ?\\?"|: ")\d+'), r"resourceVersion\1(version)"),
)
_DRAWN = (
    (re.compile(r"X509SHA256=[0-9a-f]{64}"), "(certificate)"),
    (re.compile(r"(?m)^(\s*- )(?:\d+[smhd])+$"), r"\1(age)"),
    (re.compile(r"\b10\.96\.\d+\.\d+\b"), "(address)"),
)
_MANAGERS = re.compile(r'\\"managedFields\\":\[.*?\](?=[,}])')
_MADE = re.compile(r"[bcdfghjklmnpqrstvwxz2456789]{5}")
_SUFFIX = 5
_INITIAL_END = "k8s.io/initial-events-end"


class Normaliser:
    """Of one run of one script on one server."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._uids: dict[str, str] = {}
        self._versions: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def reply(self, reply: Reply) -> JsonObject:
        headers = {name: [self._text(each) for each in reply.headers.get(name, ())] for name in HEADERS}
        body = self.value(_steady(reply.content))
        return {"status": reply.status, "headers": {name: each for name, each in headers.items() if each}, "body": body}

    def value(self, value: Json, key: str = "") -> Json:
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            shown = [self.value(each, key) for each in value]
            return sorted(shown, key=_manager) if key == "managedFields" else shown
        if not isinstance(value, str):
            return value
        if key in ("resourceVersion", "continue") and value:
            return "(version)"
        text = self._text(value)
        return "(age)" if key == "cells" and _AGE.fullmatch(text) else text

    def _object(self, value: JsonObject) -> JsonObject:
        self._learn_name(value)
        shown = {name: self.value(value[name], name) for name in sorted(value)}
        metadata = value.get("metadata")
        if _is_one_object(value) and isinstance(metadata, dict) and metadata.get("resourceVersion"):
            version = self._label(self._versions, "version", str(metadata["resourceVersion"]))
            shown["metadata"] = {**shown["metadata"], "resourceVersion": version}
        return shown

    def _learn_name(self, value: JsonObject) -> None:
        name, base = value.get("name"), value.get("generateName")
        if (
            base
            and isinstance(name, str)
            and _MADE.fullmatch(name[-_SUFFIX:])
            and str(base).startswith(name[:-_SUFFIX])
        ):
            self._names[name] = f"{name[:-_SUFFIX]}(made)"

    def _text(self, value: str) -> str:
        text = value
        for name, shown in self._names.items():
            text = text.replace(name, shown)
        text = text.replace(self._namespace, "(ns)")
        text = _UID.sub(lambda found: self._label(self._uids, "uid", found[0]), text)
        text = _TIME.sub("(time)", text)
        for pattern, shown in (*_REVISIONS, *_DRAWN):
            text = pattern.sub(shown, text)
        text = _MANAGERS.sub(_managers, text)
        if len(text) <= LONGEST:
            return text
        return f"{text[:LONGEST]}… {len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()[:16]}"

    @staticmethod
    def _label(known: dict[str, str], what: str, value: str) -> str:
        return known.setdefault(value, f"({what} {len(known) + 1})")


def _steady(content: Json) -> Json:
    """*content* without bookmarks in the middle of a watch: those come when a server likes."""
    if isinstance(content, dict) and content.keys() == {"type", "object"}:
        content = [content]
    if not isinstance(content, list):
        return content
    return [each for each in content if not _passing(each)] or ""


def _passing(event: Json) -> bool:
    if not isinstance(event, dict) or event.get("type") != "BOOKMARK":
        return False
    shown = event.get("object") or {}
    rows = shown.get("rows") or [{"object": shown}]
    metadata = (rows[0].get("object") or {}).get("metadata") or {}
    return _INITIAL_END not in (metadata.get("annotations") or {})


def _managers(found: re.Match[str]) -> str:
    """Those of an object that is part of a message. One is always in the right place; of several that is chance."""
    return found[0] if found[0].count('\\"manager\\"') < 2 else '\\"managedFields\\":[]'


def _manager(entry: JsonObject) -> list[str]:
    """Records are in the order of their times, which are a second apart or not, as it happens."""
    fields = ("operation", "manager", "apiVersion", "subresource")
    return [str(entry.get(field) or "") for field in fields] + [str(entry.get("fieldsV1"))]


def _is_one_object(value: JsonObject) -> bool:
    """Lists, tables and bookmarks carry the revision of the store, which others move as well."""
    kind = str(value.get("kind") or "")
    if "items" in value or kind.endswith("List") or kind in ("Table", "Status"):
        return False
    return bool(value.get("metadata", {}).get("uid") or value.get("metadata", {}).get("name"))


def normalised(script: Script, replies: Sequence[Reply], namespace: str) -> list[Json]:
    """What is to be compared, step by step; None for a step that only prepares."""
    normaliser = Normaliser(namespace)
    shown = [normaliser.reply(reply) for reply in replies]
    return [each if step.compared else None for step, each in zip(script, shown, strict=True)]
