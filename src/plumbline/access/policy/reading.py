"""A policy from the objects that it is kept in."""

from collections.abc import Iterable

import msgspec

from plumbline.access.policy.policy import Policy
from plumbline.access.policy.source import policy_source
from plumbline.base.json import JsonObject
from plumbline.kinds.appproject import ProjectRole


def policy_from(config_map: JsonObject | None, projects: Iterable[JsonObject]) -> Policy:
    """The policy in argocd-rbac-cm, or the built-in one where there is none, with the roles of all AppProjects."""
    entries = (config_map or {}).get("data")
    texts = {key: text for key, text in entries.items() if isinstance(text, str)} if isinstance(entries, dict) else {}
    return Policy.compiled(policy_source(texts), project_roles(projects))


def project_roles(projects: Iterable[JsonObject]) -> dict[str, tuple[ProjectRole, ...]]:
    """The roles of each project; none where they are not of their type, which no API server lets in."""
    found: dict[str, tuple[ProjectRole, ...]] = {}
    for project in projects:
        try:
            roles = msgspec.convert((project.get("spec") or {}).get("roles") or (), tuple[ProjectRole, ...])
        except msgspec.ValidationError:
            roles = ()
        found[project["metadata"]["name"]] = roles
    return found
