"""Which pull request is meant, from what was said and from what each CI tells its jobs."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, Unauthenticated
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.changed.comments.forges import APIS, FORGES, Forge

_TOKEN: Final = "PLUMBLINE_FORGE_TOKEN"  # noqa: S105 - the name of a variable
_TOKENS: Final = {
    "github": ("GITHUB_TOKEN", "GH_TOKEN"),
    "gitlab": ("GITLAB_TOKEN",),
    "gitea": ("GITEA_TOKEN", "GITHUB_TOKEN"),
    "bitbucket": ("BITBUCKET_TOKEN",),
}
_REPOSITORY: Final = {
    "github": ("GITHUB_REPOSITORY",),
    "gitlab": ("CI_PROJECT_ID",),
    "gitea": ("GITHUB_REPOSITORY",),
    "bitbucket": ("BITBUCKET_REPO_FULL_NAME",),
}
_API: Final = {
    "github": ("GITHUB_API_URL",),
    "gitlab": ("CI_API_V4_URL",),
    "gitea": ("GITHUB_API_URL",),
    "bitbucket": (),
}
_CHANGE: Final = {
    "github": ("CHANGE_ID",),
    "gitlab": ("CI_MERGE_REQUEST_IID", "CHANGE_ID"),
    "gitea": ("CHANGE_ID",),
    "bitbucket": ("BITBUCKET_PR_ID", "CHANGE_ID"),
}
_PULL: Final = re.compile(r"refs/pull/(\d+)/(?:merge|head)")
_NUMBER: Final = re.compile(r"[1-9]\d{0,9}")


class Place(NamedTuple):
    forge: Forge
    api: str
    repository: str
    change: str
    token: Plaintext

    def __str__(self) -> str:
        return f"{self.repository}#{self.change}"


def place_of(
    environment: Mapping[str, str], *, forge: str = "", api: str = "", repository: str = "", change: str = ""
) -> Place:
    """What was not said comes from the variables of GitHub Actions, GitLab CI, Gitea Actions, Bitbucket or Jenkins."""
    at = _forge(forge, environment)
    found = Place(
        at,
        (api or _first(environment, _API[at]) or APIS[at]).rstrip("/"),
        repository or _first(environment, _REPOSITORY[at]),
        change or _first(environment, _CHANGE[at]) or _pulled(environment),
        Plaintext(_first(environment, (_TOKEN, *_TOKENS[at]))),
    )
    _refuse_unclear(found)
    return found


def _refuse_unclear(found: Place) -> None:
    if not found.api.startswith(("https://", "http://")):
        raise InvalidInput(f"the address of {found.forge} is not known", hint="Name it with --api.")
    if not found.repository:
        raise InvalidInput("the repository is not known", hint="Name it with --repository OWNER/NAME.")
    if not _NUMBER.fullmatch(found.change):
        raise InvalidInput("the pull request is not known", hint="Name it with --change NUMBER.")
    if not found.token:
        raise Unauthenticated(
            f"no token for {found.forge}", hint=f"Put one into {_TOKEN} or {_TOKENS[found.forge][0]}."
        )


def _forge(said: str, environment: Mapping[str, str]) -> Forge:
    for forge in FORGES:
        if said == forge:
            return forge
    if environment.get("GITEA_ACTIONS"):
        return "gitea"
    if environment.get("GITHUB_ACTIONS"):
        return "github"
    if environment.get("GITLAB_CI"):
        return "gitlab"
    if environment.get("BITBUCKET_BUILD_NUMBER"):
        return "bitbucket"
    raise InvalidInput("the forge is not known", hint=f"Name it with --forge {'|'.join(FORGES)}.")


def _pulled(environment: Mapping[str, str]) -> str:
    match = _PULL.fullmatch(environment.get("GITHUB_REF", ""))
    return match[1] if match else ""


def _first(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := environment.get(name))), "")
