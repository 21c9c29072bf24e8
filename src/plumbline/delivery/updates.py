"""Changes of objects that are no news: fields that settings, or stock rules, say change all the time. Pure."""

import re
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.delivery.compare.ignored import ignored_fields, without_ignored
from plumbline.delivery.compare.rules import Rules
from plumbline.delivery.settings.values import Settings
from plumbline.kernel.cache import Cached, Relevance, cached
from plumbline.kube.apply.fieldset import FieldSet
from plumbline.kube.names import Ref
from plumbline.kube.schema import FREE

_STEP: Final = re.compile(r'\.?(?:([A-Za-z_]\w*)|\[?"([^"\\]+)"\]?)', re.ASCII)
_PLAIN: Final = re.compile(r'(?:\.[A-Za-z_]\w*|\."[^"\\]+"|\.?\["[^"\\]+"\])+', re.ASCII)
_OF_CONTROLLERS: Final = re.compile(r"(?!kubectl\.)[^/]+\.kubernetes\.io/")
"""Annotations that Kubernetes itself writes on what it looks after, such as which revision of a Deployment runs."""
_BOOKKEEPING: Final = frozenset({"managedFields", "resourceVersion", "generation"})


class Updates:
    """For one version of the settings."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._rules = Rules(settings.customizations.ignored_updates) if settings.ignore_resource_updates else None

    def are_news(self, ref: Ref, before: Cached, after: Cached) -> bool:
        """Whether two versions of an object differ in anything that counts.

        Of jq only plain paths are understood here. What others would hide is looked at, which costs a look and no more.
        """
        if self._rules is None or not before.raw or not after.raw:
            return True
        applying = self._rules.applying(ref)
        paths = (*applying.pointers, *filter(None, map(plain_path, applying.expressions)))
        return not paths or _counting(before.object(), paths) != _counting(after.object(), paths)

    def notes(self, before: Cached, after: Cached) -> frozenset[str]:
        """What Kubernetes' own controllers noted on an object; empty where it differs in anything else as well."""
        if self._rules is None or not before.raw or not after.raw:
            return frozenset()
        was, now = before.meta.annotations, after.meta.annotations
        changed = frozenset(name for name in was.keys() | now.keys() if was.get(name) != now.get(name))
        if not changed or not all(map(_OF_CONTROLLERS.match, changed)):
            return frozenset()
        without = Relevance(status=False, ignored_annotations=changed)
        same = cached(before.raw, without).relevant == cached(after.raw, without).relevant
        return changed if same else frozenset()


def plain_path(expression: str) -> tuple[str, ...]:
    """The steps of a jq expression that only names a field, such as `.metadata.annotations."a/b"`; none of any other."""
    if not _PLAIN.fullmatch(expression.strip()):
        return ()
    return tuple(name or quoted for name, quoted in _STEP.findall(expression))


def _counting(obj: JsonObject, paths: tuple[tuple[str, ...], ...]) -> JsonObject:
    fields: FieldSet = {}
    ignored_fields(obj, paths, FREE, fields)
    kept = without_ignored(obj, fields, FREE)
    metadata = kept.get("metadata")
    if isinstance(metadata, dict):
        kept = {**kept, "metadata": {name: value for name, value in metadata.items() if name not in _BOOKKEEPING}}
    return kept
