"""The endpoints of projects."""

from typing import Final

from plumbline.base.ids import Ids
from plumbline.web.api.answers import Serve
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint
from plumbline.web.api.links import Links
from plumbline.web.api.projects.making import Making
from plumbline.web.api.projects.reading import Reading
from plumbline.web.api.projects.tokens import Asked, Issue, Tokens
from plumbline.web.operations import Operation, Parameter

_PATH: Final = "/api/v1/projects"
_ONE: Final = f"{_PATH}/{{name}}"
_TOKEN: Final = f"{_ONE}/roles/{{role}}/token"


class Projects:
    def __init__(self, desk: Desk, links: Links, issue: Issue, ids: Ids) -> None:
        reading, making, tokens = Reading(desk, links), Making(desk), Tokens(desk, issue, ids)
        fields = Parameter("fields", "Only these fields, such as items.metadata.name")
        self.endpoints = (
            _said("GET", _PATH, reading.list, "Projects that you may see", fields),
            _said("POST", _PATH, making.create, "Create one", takes=dict),
            _said("GET", _ONE, reading.get, "One project"),
            _said("PUT", _ONE, making.update, "Replace one", takes=dict),
            _said("DELETE", _ONE, making.delete, "Delete one that no application uses"),
            _said("GET", f"{_ONE}/detailed", reading.detailed, "With what is registered for it"),
            _said("GET", f"{_ONE}/globalprojects", reading.globals, "Projects whose rules count in it"),
            _said("GET", f"{_ONE}/syncwindows", reading.windows, "Windows of it that are open"),
            _said("GET", f"{_ONE}/links", reading.links, "Links beside it"),
            _said("GET", f"{_ONE}/events", reading.events, "What happened to it"),
            _said("POST", _TOKEN, tokens.create, "Issue a token for a role", takes=Asked),
            _said("DELETE", f"{_TOKEN}/{{iat}}", tokens.delete, "Revoke a token", Parameter("id")),
        )


def _said(
    method: str, path: str, serve: Serve, summary: str, *parameters: Parameter, takes: type | None = None
) -> Endpoint:
    said = Operation(method=method, path=path, summary=summary, tag="projects", parameters=parameters, takes=takes)
    return Endpoint(said, serve)
