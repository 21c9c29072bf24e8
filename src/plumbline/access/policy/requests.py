"""What is asked for, in the words of a policy: names of resources, actions and objects."""

from typing import Final, NamedTuple

from plumbline.access.policy.decision import Decision
from plumbline.access.policy.policy import Policy
from plumbline.access.policy.projects import RESOURCES as IN_PROJECTS
from plumbline.access.policy.settings import AccessSettings
from plumbline.access.policy.subject import Subject
from plumbline.base.errors import InvalidInput

APPLICATIONS: Final = "applications"
_CRUD: Final = ("create", "get", "update", "delete")
ACTIONS: Final = {
    "accounts": ("create", "get", "update"),
    APPLICATIONS: (*_CRUD, "sync", "override", "rollback", "action"),
    "applicationsets": _CRUD,
    "certificates": _CRUD,
    "changes": ("get",),
    "clusters": _CRUD,
    "exec": ("create",),
    "extensions": ("invoke",),
    "gpgkeys": ("create", "get", "delete"),
    "infrastructure": ("get",),
    "logs": ("get",),
    "projects": _CRUD,
    "repositories": _CRUD,
    "secrets": ("get", "create"),
    "terraform": ("get", "approve", "reject", "reconcile", "unlock", "logs"),
    "write-repositories": _CRUD,
}
"""Every resource that a policy may be asked about, and what can be done with it."""
_WITH_PATH: Final = frozenset({"update", "delete", "action"})
_SHORT: Final = {
    "account": "accounts", "app": APPLICATIONS, "application": APPLICATIONS, "applicationset": "applicationsets",
    "apps": APPLICATIONS, "appset": "applicationsets", "cert": "certificates", "certificate": "certificates",
    "certs": "certificates", "cluster": "clusters", "extension": "extensions", "gpgkey": "gpgkeys", "key": "gpgkeys",
    "log": "logs", "proj": "projects", "project": "projects", "projs": "projects", "repo": "repositories",
    "repos": "repositories", "repository": "repositories",
}  # fmt: skip
_QUALIFIED_PARTS: Final = 3


class Target(NamedTuple):
    """One object of an application."""

    group: str
    kind: str
    namespace: str
    name: str


class Question(NamedTuple):
    resource: str
    action: str
    name: str

    @classmethod
    def of(cls, action: str, resource: str, name: str, control_namespace: str) -> "Question":
        """What a person typed. Raises InvalidInput for what no policy knows, and what to type instead.

        Short names of resources are understood; an application in the control plane's own namespace may be written
        with it or without.
        """
        known = _SHORT.get(resource, resource)
        actions = ACTIONS.get(known)
        if actions is None:
            raise InvalidInput(f"There is no resource {resource!r}", why=f"those that exist are {', '.join(ACTIONS)}")
        verb, path, _ = action.partition("/")
        if verb not in actions or (path and not (known == APPLICATIONS and verb in _WITH_PATH)):
            why = f"with {known} one can do: {', '.join(actions)}"
            raise InvalidInput(f"There is no action {action!r} for {known}", why=why)
        parts = name.split("/")
        if known in IN_PROJECTS and len(parts) == _QUALIFIED_PARTS:
            name = application_name(parts[0], parts[1], parts[2], control_namespace)
        return cls(known, action, name)


def application_name(project: str, namespace: str, name: str, control_namespace: str) -> str:
    """How policies name an Application or ApplicationSet, and what belongs to it. The control plane's own namespace is never said."""
    if control_namespace and namespace and namespace != control_namespace:
        return f"{project}/{namespace}/{name}"
    return f"{project}/{name}"


def scoped_name(project: str, address: str) -> str:
    """How policies name a cluster or a repository, which may belong to a project."""
    return f"{project}/{address}" if project else address


def action_on(target: Target, name: str) -> str:
    """The action *name* of an object: restart, pause, or what else its kind can do."""
    return f"action/{target.group}/{target.kind}/{name}"


def decide_object(
    policy: Policy, subject: Subject, verb: str, application: str, target: Target, *, settings: AccessSettings
) -> Decision:
    """Whether *subject* may `get`, `update` or `delete` one object of *application*.

    Getting needs what getting the application needs. The other two have to be allowed for the object; where it is set
    that they are inherited, being allowed for the application is enough.
    """
    if verb not in {"update", "delete"}:
        return policy.decide(subject, APPLICATIONS, verb, application)
    fine = f"{verb}/{target.group}/{target.kind}/{target.namespace}/{target.name}"
    if settings.inherited:
        found = policy.decide(subject, APPLICATIONS, verb, application)
        if found.allowed:
            return found
    return policy.decide(subject, APPLICATIONS, fine, application)


def rollback_action(settings: AccessSettings) -> str:
    """What going back to an earlier revision is called: it is a sync, unless it is set to be something of its own."""
    return "rollback" if settings.rollback_enforced else "sync"
