"""Whether what is about to be used was signed by somebody whom the project trusts."""

from collections.abc import Callable, Iterable

from plumbline.base.clock import Clock
from plumbline.base.errors import Forbidden
from plumbline.base.glob import glob_matches
from plumbline.base.json import JsonObject
from plumbline.delivery.projects.project import Project
from plumbline.delivery.targets import Commits, Located
from plumbline.source.signatures import RawObject, Target, Trusted, Verifier, requirement, trusted
from plumbline.source.urls import redacted

KEYS = "argocd-gpg-keys-cm"


class Integrity:
    """Keys are those of the installation, read anew when they change."""

    def __init__(self, commits: Commits, keys: Callable[[], JsonObject | None], clock: Clock) -> None:
        self._commits = commits
        self._keys = keys
        self._clock = clock
        self._verifier: Verifier | None = None

    async def check(self, project: Project, located: Iterable[Located]) -> None:
        """Raise Forbidden where a source is not signed as the project demands. Nothing falls back."""
        for each in located:
            url = each.source.repo_url
            asked = requirement(project.spec, url, glob_matches) if each.commit is not None else None
            if asked is None or each.commit is None:
                continue

            async def read(sha: str, url: str = url) -> RawObject:
                raw = await self._commits.raw(url, sha, project=project.name)
                return RawObject(raw.kind, raw.content)

            report = await self._verifying().check(asked, Target(each.commit.commit, each.commit.tag), read)
            if not report.passed:
                raise Forbidden(f"{redacted(url)} is not used at {each.revision[:7]}", why="; ".join(report.problems))

    def _verifying(self) -> Verifier:
        keys: Trusted = trusted(self._keys())
        if self._verifier is None or self._verifier.trusted != keys:
            self._verifier = Verifier(keys, self._clock)
        return self._verifier
