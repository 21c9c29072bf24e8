"""Which sources a push concerns: those that name its repository, in whatever spelling, and follow what moved."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias
from urllib.parse import unquote, urlsplit

from plumbline.forge.webhooks.push import LONGEST_URL, Push, place, revision

Satisfies: TypeAlias = Callable[[str, str], bool]
"""Whether the second, a version, is within the first, a constraint; False where either is none."""

_OCI: Final = "oci://"
_USER: Final = r"[\w.][\w.-]{0,30}[\w.$-]?"
_QUALIFIED: Final = ("refs/heads/", "refs/tags/")


def matches(push: Push, url: str, target_revision: str, satisfies: Satisfies, *, chart: str = "") -> bool:
    """Whether a source at *url* that follows *target_revision* may look different after the push."""
    return means(push, url, chart=chart) and moves(push, target_revision, satisfies)


def means(push: Push, url: str, *, chart: str = "") -> bool:
    """Whether *url* is an address of the repository: any scheme, user and port, with or without `.git`."""
    if len(url) > LONGEST_URL:
        return False
    if any(pushed.startswith(_OCI) for pushed in push.urls):
        wanted = {_registry_name(url), _registry_name(f"{url.rstrip('/')}/{chart}")} if chart else {_registry_name(url)}
        return any(_registry_name(pushed) in wanted for pushed in push.urls)
    plain = unquote(url)
    return any(url == pushed or _pattern(pushed).fullmatch(plain) is not None for pushed in push.urls)


def moves(push: Push, target_revision: str, satisfies: Satisfies) -> bool:
    """Whether what *target_revision* stands for may have moved: a branch, a tag, a range of versions, or HEAD."""
    pushed = revision(push.ref)
    if any(url.startswith(_OCI) for url in push.urls):
        return push.ref == target_revision or satisfies(target_revision, push.ref)
    target = revision(target_revision)
    if target in {"", "HEAD"}:
        return push.default_branch is None or pushed in {push.default_branch, "HEAD"}
    if pushed == "HEAD":
        # Nobody said which ref it was.
        return True
    wanted = target if target_revision.startswith(_QUALIFIED) else target_revision
    return pushed == wanted or satisfies(wanted, pushed)


def merged(earlier: Push, later: Push) -> Push:
    """Two pushes of the same ref as one."""
    unknown = earlier.files is None or later.files is None or earlier.after != later.before
    return Push(
        urls=later.urls,
        ref=later.ref,
        before=earlier.before,
        after=later.after,
        files=None if unknown else (earlier.files or frozenset()) | (later.files or frozenset()),
        default_branch=later.default_branch,
    )


def _registry_name(url: str) -> str:
    return url.removeprefix(_OCI).rstrip("/").lower()


@lru_cache(maxsize=256)
def _pattern(pushed: str) -> re.Pattern[str]:
    """What every other spelling of *pushed* looks like. All of it that comes from outside is taken literally."""
    host, path = _host_and_path(pushed)
    if not host:
        # A local path, or nothing that anybody could spell in another way.
        return re.compile(re.escape(unquote(pushed)))
    return re.compile(
        rf"((https?|ssh)://)?({_USER}(:[^@/]*)?@)?((alt)?ssh\.)?{re.escape(host)}(:\d+)?[:/]/?{re.escape(path)}(\.git)?/?",
        re.IGNORECASE | re.ASCII,
    )


def _host_and_path(url: str) -> tuple[str, str]:
    host, path = place(url)
    if host.startswith("ssh.") and urlsplit(url).scheme == "ssh":
        host = host.removeprefix("ssh.")
    return host, unquote(path)
