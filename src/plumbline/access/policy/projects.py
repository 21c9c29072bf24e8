"""Roles of an AppProject: the lines that they stand for, and what may not be in them.

The lines of a project count for requests about that project and for no others, whatever they say; that is what keeps
those who may write a project from giving anything outside of it away.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from plumbline.access.policy.lines import BLANKS, Written
from plumbline.access.policy.places import Place
from plumbline.access.policy.rules import ALLOW, DENY
from plumbline.kinds.appproject import ProjectRole

RESOURCES: Final = ("applications", "applicationsets", "logs", "exec", "clusters", "repositories")
"""What belongs to projects."""
_ACTIONS: Final = frozenset({"get", "create", "update", "delete", "sync", "override", "*"})
_ACTION_PATHS: Final = ("action/", "update/", "delete/")
_ROLE_NAME: Final = re.compile(r"[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?")
_OBJECT: Final = re.compile(r"(/[*\w.-]+)?/[*\w.-]+", re.ASCII)
_FIELDS: Final = 6


def subject_of(project: str, role: str) -> str:
    return f"proj:{project}:{role}"


def role_lines(project: str, roles: Iterable[ProjectRole]) -> Iterator[Written]:
    """All lines of a project. Every role may look at its project, and each of its groups has the role."""
    for role in roles:
        subject = subject_of(project, role.name)
        place = Place(project=project, role=role.name)
        yield from _each(place, f"p, {subject}, projects, get, {project}, allow")
        for number, policy in enumerate(role.policies, 1):
            yield from _each(place._replace(number=number), policy)
        for group in role.groups:
            yield from _each(place, f"g, {group}, {subject}")


def _each(place: Place, text: str) -> Iterator[Written]:
    """A text with several lines is as many lines, as upstream has it."""
    return ((place, line) for line in text.split("\n"))


def role_faults(project: str, roles: Iterable[ProjectRole]) -> tuple[str, ...]:
    """Why these roles may not be saved: everything at once, in the words that a person can act on."""
    return tuple(_faults(project, roles))


def _faults(project: str, roles: Iterable[ProjectRole]) -> Iterator[str]:
    names: set[str] = set()
    for role in roles:
        if role.name in names:
            yield f"there are two roles {role.name}"
        names.add(role.name)
        if not _ROLE_NAME.fullmatch(role.name):
            yield f"a role cannot be named {role.name!r}: letters, digits, - and _, with a letter or digit at both ends"
        for number, policy in enumerate(role.policies, 1):
            why = _policy_fault(project, role.name, policy)
            if policy in role.policies[: number - 1]:
                why = "it is there twice"
            if why:
                yield f"policy {number} of role {role.name} cannot be used: {why}"
        for number, group in enumerate(role.groups, 1):
            why = "it is there twice" if group in role.groups[: number - 1] else _group_fault(group)
            if why:
                yield f"group {number} of role {role.name} cannot be used: {why}"


def _policy_fault(project: str, role: str, policy: str) -> str:
    word, *fields = (field.strip(" ") for field in policy.split(","))
    if word != "p" or len(fields) + 1 != _FIELDS:
        return "it is not of the form: p, SUBJECT, RESOURCE, ACTION, OBJECT, allow|deny"
    subject, resource, action, name, effect = fields
    if subject != subject_of(project, role):
        return f"its subject is {subject} and has to be {subject_of(project, role)}"
    if resource not in RESOURCES:
        return f"its resource is {resource} and has to be one of {', '.join(RESOURCES)}"
    if action not in _ACTIONS and not any(path in action for path in _ACTION_PATHS):
        return f"there is no action {action}"
    if not name.startswith(project) or not _OBJECT.fullmatch(name.removeprefix(project)):
        return f"its object is {name} and has to be {project}/NAME or {project}/NAMESPACE/NAME, in which * may stand"
    return "" if effect in {ALLOW, DENY} else f"its effect is {effect} and has to be allow or deny"


def _group_fault(group: str) -> str:
    name = group.strip(BLANKS)
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):
        name = name[1:-1]
    elif "," in name:
        return "with a comma in its name it has to be in quotes"
    if not name:
        return "it is empty"
    if any(char in name for char in '"\n\r\t'):
        return "it holds a quote, a tab or the end of a line"
    return "it begins or ends with a blank" if len(group) > 1 and group != group.strip(BLANKS) else ""
