"""GitLab: pushes of branches and tags, by hooks of a project, a group or the whole system."""

from typing import Final

from plumbline.forge.webhooks import commits
from plumbline.forge.webhooks.decoding import Part, decoded
from plumbline.forge.webhooks.push import Delivery, Ignored, Push
from plumbline.forge.webhooks.signatures import Secrets, check_token

EVENT: Final = "x-gitlab-event"
_PUSHES: Final = frozenset({"Push Hook", "Tag Push Hook", "System Hook"})
_KINDS: Final = frozenset({"push", "tag_push"})


class _Project(Part):
    web_url: str | None = None
    git_http_url: str | None = None
    git_ssh_url: str | None = None
    default_branch: str | None = None


class _Push(commits.Ref):
    object_kind: str | None = None
    event_name: str | None = None
    project: _Project | None = None


def read_gitlab(delivery: Delivery, secrets: Secrets) -> tuple[Push, ...] | Ignored:
    check_token(delivery.header("x-gitlab-token"), secrets.gitlab, "X-Gitlab-Token")
    event = delivery.header(EVENT)
    if event not in _PUSHES:
        return Ignored(f"nothing depends on {event[:100]!r} events of GitLab")
    said = decoded(delivery, _Push)
    if event == "System Hook" and _KINDS.isdisjoint((said.object_kind, said.event_name)):
        return Ignored("nothing depends on such events of the system")
    at = said.project or _Project()
    return commits.pushed(said, (at.web_url, at.git_http_url, at.git_ssh_url), at.default_branch)
