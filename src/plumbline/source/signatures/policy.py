"""What a project asks of its sources, and whether what was found is that. Pure."""

from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from plumbline.base.errors import InvalidInput
from plumbline.kinds.appproject import AppProjectSpec, GitPolicy
from plumbline.source.signatures.trusted import names_key
from plumbline.source.signatures.verdict import Outcome, Verdict
from plumbline.source.urls import redacted

Matches: TypeAlias = Callable[[str, str], bool]
"""Whether a pattern fits an address: the rules for patterns belong to projects."""

Mode: TypeAlias = Literal["head", "strict"]

MOST_PROBLEMS: Final = 10


class Requirement(NamedTuple):
    mode: Mode
    """`head`: the tag or commit that is used. `strict`: the tag, the commit, and all that it descends from."""
    keys: tuple[str, ...]


class Checked(NamedTuple):
    """One commit or tag, and what its signature is worth."""

    revision: str
    """The hash of a commit, the name of a tag."""
    author: str
    verdict: Verdict
    tag: bool = False


def requirement(spec: AppProjectSpec, url: str, matches: Matches) -> Requirement | None:
    """What the project asks of a repository, or None where it asks for nothing.

    Raises InvalidInput where it cannot be said: several policies fit, or the mode is unknown. A mistake in a policy
    must not be what switches it off.
    """
    if spec.source_integrity is None:
        keys = tuple(key.key_id for key in spec.signature_keys)
        return Requirement("head", keys) if keys else None
    fitting = [policy for policy in spec.source_integrity.git.policies if _about(policy, url, matches)]
    if not fitting:
        return None
    if len(fitting) > 1:
        raise InvalidInput(
            f"signatures of {redacted(url)} cannot be judged",
            why=f"{len(fitting)} policies in sourceIntegrity fit it",
            hint="Narrow the patterns until one policy is left for each repository; `!` before a pattern excludes.",
        )
    asked = fitting[0].gpg
    if asked.mode == "none":
        return None
    if asked.mode not in {"head", "strict"}:
        raise InvalidInput(
            f"signatures of {redacted(url)} cannot be judged",
            why="the mode of its policy in sourceIntegrity is none of none, head and strict",
        )
    return Requirement(cast("Mode", asked.mode), asked.keys)


def problems(asked: Requirement, found: Iterable[Checked]) -> tuple[str, ...]:
    """Why it is not enough; empty where it is. The first ten, and each key only once, since its owner mends them all."""
    told: list[str] = []
    keys: set[str] = set()
    for checked in found:
        problem = _problem(asked, checked)
        key = "" if checked.tag else checked.verdict.key
        if not problem or key in keys:
            continue
        if key:
            keys.add(key)
        told.append(problem)
        if len(told) == MOST_PROBLEMS:
            break
    return tuple(told)


def _about(policy: GitPolicy, url: str, matches: Matches) -> bool:
    """One pattern that fits is enough, unless one that excludes fits as well."""
    patterns = [repository.url for repository in policy.repos]
    excluded = any(matches(pattern[1:], url) for pattern in patterns if pattern.startswith("!"))
    return not excluded and any(matches(pattern, url) for pattern in patterns if not pattern.startswith("!"))


def _problem(asked: Requirement, checked: Checked) -> str:
    """In upstream's words, which people have alerts on."""
    verdict = checked.verdict
    reason: str = verdict.outcome
    if verdict.outcome is Outcome.GOOD:
        if any(names_key(listed, verdict) for listed in asked.keys):
            return ""
        reason = "signed with unallowed key"
    return f"Failed verifying revision {checked.revision} by '{checked.author}': {reason} (key_id={verdict.key})"
