"""Who has to look again when something changes."""

from collections.abc import Iterable
from typing import Final

from plumbline.kernel.cache import Cache, Cached, Relevance
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.queue import Priority

BY_SOURCE: Final = "source"
BY_DEPENDENCY: Final = "dependency"


def terraforms_cache() -> Cache:
    """Terraform objects by the source that they are made of, and by what they depend on."""
    return Cache(Relevance(status=False), {BY_SOURCE: _source, BY_DEPENDENCY: _dependencies})


class Routes:
    def __init__(self, terraforms: Informer, controller: Controller) -> None:
        self._terraforms, self._controller = terraforms, controller
        terraforms.subscribe(self._terraform_changed)

    def follow_sources(self, kind: str, sources: Informer) -> None:
        def changed(before: Cached | None, after: Cached | None) -> None:
            present = after or before
            if present is not None and (before is None or after is None or before.status != after.status):
                self._wake(BY_SOURCE, f"{kind}/{present.meta.namespace}/{present.meta.name}")

        sources.subscribe(changed)

    def follow_approvals(self, approvals: Informer) -> None:
        def changed(before: Cached | None, after: Cached | None) -> None:
            present = after or before
            if present is not None:
                name = str((present.object().get("spec") or {}).get("terraform") or "")
                self._controller.wake((present.meta.namespace, name))

        approvals.subscribe(changed)

    def follow_policies(self, policies: Informer) -> None:
        policies.subscribe(lambda before, after: self._controller.wake_all() if before or after else None)

    def _terraform_changed(self, before: Cached | None, after: Cached | None) -> None:
        present = after or before
        if present is not None:
            self._wake(BY_DEPENDENCY, f"{present.meta.namespace}/{present.meta.name}")

    def _wake(self, index: str, value: str) -> None:
        for entry in self._terraforms.cache.indexed(index, value):
            self._controller.wake(entry.meta.key, Priority.DRIFT)


def _source(entry: Cached) -> Iterable[str]:
    ref = (entry.object().get("spec") or {}).get("sourceRef")
    if isinstance(ref, dict):
        yield f"{ref.get('kind')}/{ref.get('namespace') or entry.meta.namespace}/{ref.get('name')}"


def _dependencies(entry: Cached) -> Iterable[str]:
    for each in (entry.object().get("spec") or {}).get("dependsOn") or ():
        if isinstance(each, dict):
            yield f"{each.get('namespace') or entry.meta.namespace}/{each.get('name')}"
