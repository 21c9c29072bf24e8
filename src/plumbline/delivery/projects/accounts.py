"""As which service account an application is synced. There is an answer, or there is no sync."""

from typing import Final

from plumbline.base.errors import Forbidden, InvalidInput
from plumbline.base.glob import glob
from plumbline.delivery.projects.project import Project

_PREFIX: Final = "system:serviceaccount:"
_NOT_IN_NAMES: Final = frozenset("!*[]{}\\/")
_DERIVING: Final = "failed to derive service account to impersonate: "


def service_account_for(
    project: Project, server: str, namespace: str, *, application_namespace: str, enforced: bool = True
) -> str | None:
    """The user name to act as in *namespace* of *server*: of the entries that match, the first.

    Raises Forbidden in upstream's words where an entry cannot be used, and where there is none. Only with *enforced*
    switched off by whoever runs the installation is there None, which means to sync as ourselves.
    """
    for entry in project.spec.destination_service_accounts:
        if _matches("server", entry.server, server) and _matches("namespace", entry.namespace, namespace):
            return _user(entry.default_service_account, namespace or application_namespace)
    if enforced:
        raise Forbidden(
            f"no matching service account found for destination server {server} and namespace {namespace}",
            hint=f"Add one to destinationServiceAccounts of project {project.name}.",
        )
    return None


def _matches(what: str, pattern: str, text: str) -> bool:
    try:
        return glob(pattern).matches(text)
    except InvalidInput as fault:
        raise Forbidden(f"{_DERIVING}invalid glob pattern for destination {what}: {fault.why}") from fault


def _user(account: str, namespace: str) -> str:
    written = account if ":" in account else f"{namespace}:{account}"
    owner, _, name = written.partition(":")
    # An empty half would be a user that exists nowhere, or with luck one that nobody meant.
    if not account.strip(" ") or not _NOT_IN_NAMES.isdisjoint(account) or not owner.strip() or not name.strip():
        raise Forbidden(f"{_DERIVING}default service account contains invalid chars '{account}'")
    return _PREFIX + written
