"""Whether a project could be used as it is, asked before it is written. Pure."""

from plumbline.access.policy.projects import role_faults
from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.delivery.projects.windows import window_fault
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.read import read


def check(project: JsonObject) -> None:
    """Raises InvalidInput with everything that is wrong with its roles and windows."""
    spec = read(APP_PROJECT, project).spec
    name = str(project["metadata"]["name"])
    faults = [*role_faults(name, spec.roles), *filter(None, map(window_fault, spec.sync_windows))]
    if faults:
        raise InvalidInput(f"the project {name} is invalid", why="; ".join(faults))
