"""What is counted about registries, under the names that upstream's dashboards ask for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Literal, TypeAlias

from prometheus_client import CollectorRegistry, Counter

from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError
from plumbline.source.counting import Failures, Questions, forget

_Lasting: TypeAlias = Literal["get-tags", "resolve-revision", "digest-metadata", "extract"]
Kind: TypeAlias = Literal[_Lasting, "test-repo"]

_LASTING: Final[tuple[_Lasting, ...]] = ("get-tags", "resolve-revision", "digest-metadata", "extract")
_TRIED: Final = 256
"""Addresses that people tried out. They are followed by nobody, so the oldest of them make room."""


class OciMetrics:
    def __init__(self, registry: CollectorRegistry, clock: Clock) -> None:
        self._clock = clock
        self._questions = Questions("oci", "Questions to registries", registry)
        self._unlisted = Counter("argocd_oci_get_tags_fail", "Lists of tags that failed", ("repo",), registry=registry)
        self._refused = Counter("argocd_oci_test_repo_fail", "Trials that failed", ("repo",), registry=registry)
        self._failures = {
            "resolve-revision": Failures("argocd_oci_resolve_revision_fail", "Tags that named nothing", registry),
            "digest-metadata": Failures("argocd_oci_digest_metadata_fail", "Manifests that did not come", registry),
            "extract": Failures("argocd_oci_extract_fail", "Contents that did not come", registry),
        }
        self._tried: dict[str, None] = {}

    @contextmanager
    def question(self, repo: str, kind: Kind, revision: str = "") -> Iterator[None]:
        """Around what is asked; what is raised within is a failure."""
        began_s = self._clock.monotonic()
        try:
            yield
        except PlumblineError:
            self.failed(repo, kind, revision)
            raise
        finally:
            self._questions.asked(repo, kind, self._clock.monotonic() - began_s)
            if kind == "test-repo":
                self._bound(repo)

    def failed(self, repo: str, kind: Kind, revision: str = "") -> None:
        if kind == "get-tags":
            self._unlisted.labels(repo).inc()
        elif kind == "test-repo":
            self._refused.labels(repo).inc()
        else:
            self._failures[kind].failed(repo, revision)

    def forget(self, repo: str) -> None:
        self._questions.forget(repo, _LASTING)
        forget(self._unlisted, repo)
        for each in self._failures.values():
            each.forget(repo)

    def _bound(self, repo: str) -> None:
        self._tried.pop(repo, None)
        self._tried[repo] = None
        if len(self._tried) > _TRIED:
            oldest = next(iter(self._tried))
            del self._tried[oldest]
            self._questions.forget(oldest, ("test-repo",))
            forget(self._refused, oldest)
