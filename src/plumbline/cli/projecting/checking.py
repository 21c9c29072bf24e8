"""Whether a project could be used as it is, asked before it is written. Pure."""

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.delivery.projects.faults import project_faults
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.read import read


def check(project: JsonObject) -> None:
    """Raises InvalidInput with everything that is wrong with it."""
    name = str(project["metadata"]["name"])
    faults = project_faults(name, read(APP_PROJECT, project).spec)
    if faults:
        raise InvalidInput(f"the project {name} is invalid", why="; ".join(faults))
