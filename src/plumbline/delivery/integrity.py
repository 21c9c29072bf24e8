"""Whether what is about to be used was signed by somebody whom the project trusts."""

from collections.abc import Callable, Sequence
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import Forbidden
from plumbline.base.glob import glob_matches
from plumbline.base.json import JsonObject
from plumbline.delivery.projects.project import Project
from plumbline.delivery.targets import Commits, Located
from plumbline.source.signatures import RawObject, Target, Trusted, Verifier, requirement, trusted

KEYS: Final = "argocd-gpg-keys-cm"
_CHECK: Final = "GIT/GPG"
"""What upstream calls it, and what people search for."""
_HINT: Final = "Have it signed with a key that the project lists and that `plumb gpg list` knows."


class Integrity:
    """Keys are those of the installation, read anew when they change."""

    def __init__(self, commits: Commits, keys: Callable[[], JsonObject | None], clock: Clock) -> None:
        self._commits = commits
        self._keys = keys
        self._clock = clock
        self._verifier: Verifier | None = None

    async def check(self, project: Project, located: Sequence[Located]) -> None:
        """Raise Forbidden where a source is not signed as the project demands. Nothing falls back."""
        objection = await self.objection(project, located)
        if objection:
            raise unproven(objection)

    async def objection(self, project: Project, located: Sequence[Located]) -> str:
        """What the sources lack of what the project demands, each by name where there are several; empty if nothing."""
        found: list[str] = []
        for number, each in enumerate(located, start=1):
            problems = await self._problems(project, each)
            named = f"source {each.source.name or f'{number} of {len(located)}'}: " if len(located) > 1 else ""
            found += [f"{_CHECK}: {named}{problem}" for problem in problems]
        return "; ".join(found)

    async def _problems(self, project: Project, located: Located) -> tuple[str, ...]:
        url, commit = located.source.repo_url, located.commit
        asked = requirement(project.spec, url, glob_matches) if commit is not None else None
        if asked is None or commit is None:
            return ()

        async def read(sha: str) -> RawObject:
            raw = await self._commits.raw(url, sha, project=project.name)
            return RawObject(raw.kind, raw.content)

        report = await self._verifying().check(asked, Target(commit.commit, commit.tag), read)
        return report.problems

    def _verifying(self) -> Verifier:
        keys: Trusted = trusted(self._keys())
        if self._verifier is None or self._verifier.trusted != keys:
            self._verifier = Verifier(keys, self._clock)
        return self._verifier


def unproven(objection: str) -> Forbidden:
    return Forbidden(objection, hint=_HINT)
