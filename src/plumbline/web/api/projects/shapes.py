"""Projects as Argo CD's API takes and gives them. Pure."""

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.delivery.projects.faults import project_faults
from plumbline.delivery.projects.project import Project
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.read import read

_SAID = ("name", "namespace", "labels", "annotations", "finalizers", "resourceVersion")


def said(body: JsonObject, namespace: str, name: str = "") -> JsonObject:
    """The project in a body. Raises InvalidInput with everything that is wrong."""
    project = body.get("project")
    if not isinstance(project, dict):
        raise InvalidInput("missing payload 'project' in request")
    told = project.get("metadata")
    metadata: JsonObject = told if isinstance(told, dict) else {}
    kept = {part: metadata[part] for part in _SAID if metadata.get(part)}
    found: JsonObject = {
        "apiVersion": APP_PROJECT.gvk.api_version,
        "kind": APP_PROJECT.kind,
        "metadata": {**kept, "name": name or str(kept.get("name") or ""), "namespace": namespace},
        "spec": project.get("spec") or {},
    }
    if not found["metadata"]["name"]:
        raise InvalidInput("the project is not read", why="it has no name")
    status = project.get("status")
    return {**found, "status": status} if status else found


def checked(project: JsonObject) -> Project:
    """*project*, typed. Raises InvalidInput where something in it could not be used."""
    found = Project.of(read(APP_PROJECT, project))
    faults = project_faults(found.name, found.spec)
    if faults:
        raise InvalidInput(f"the project {found.name} is invalid", why="; ".join(faults))
    return found


def with_tokens(project: JsonObject) -> JsonObject:
    """Tokens of roles are where they were written: in the spec, in the status, or in both. Here they are in both."""
    spec, status = project.get("spec") or {}, project.get("status") or {}
    noted = {role: list(each.get("items") or ()) for role, each in (status.get("jwtTokensByRole") or {}).items()}
    roles = []
    for role in spec.get("roles") or ():
        tokens = noted.setdefault(role.get("name", ""), [])
        known = {(each.get("id"), each.get("iat")) for each in tokens}
        tokens += [each for each in role.get("jwtTokens") or () if (each.get("id"), each.get("iat")) not in known]
        roles.append({**role, "jwtTokens": tokens} if tokens else role)
    by_role = {role: {"items": tokens} for role, tokens in noted.items() if tokens}
    found = {**project, "spec": {**spec, **({"roles": roles} if roles else {})}}
    return {**found, "status": {**status, **({"jwtTokensByRole": by_role} if by_role else {})}}
