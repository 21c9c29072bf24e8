"""Who may take values from where. They are read with the installation's rights, so the project has to permit it. Pure.

An Application may take values from the namespace that it is delivered to, where that is in this very cluster and the
project lets it have such objects there: whoever may put a Pod there can read them anyway. The installation's own
namespace is no such place. Everything else, a project has to name.
"""

from typing import Final, NamedTuple

from plumbline.base.errors import Forbidden
from plumbline.base.glob import glob_matches
from plumbline.delivery.projects.permits import permits_kind
from plumbline.delivery.projects.project import Project
from plumbline.delivery.valuesfrom.references import VALUES_FROM, Place, patterns
from plumbline.kube.names import GroupKind

_KINDS: Final = {"configmap": GroupKind("", "ConfigMap"), "secret": GroupKind("", "Secret")}


class Terms(NamedTuple):
    """What an Application may do depends on these."""

    project: Project
    control_namespace: str
    """Of the installation."""
    namespace: str
    """Of the destination."""
    local: bool
    """Whether the destination is the cluster that values are read from."""


def check(place: Place, terms: Terms) -> None:
    """Raises Forbidden where the project does not let values be taken from *place*."""
    if not (_is_home(place, terms) and _may_be_had(place, terms.project)) and not _named(place, terms.project):
        raise _refusal(place, terms.project)


def check_holder(place: Place, holder: Place, terms: Terms) -> None:
    """The same for the object that *place*, which is permitted, has written its outputs to."""
    if not _named(place, terms.project) and not _may_be_had(holder, terms.project):
        raise _refusal(holder, terms.project)


def _is_home(place: Place, terms: Terms) -> bool:
    return terms.local and place.namespace == terms.namespace != terms.control_namespace


def _may_be_had(place: Place, project: Project) -> bool:
    kind = _KINDS.get(place.kind)
    return kind is None or permits_kind(project, kind, place.name, namespaced=True)


def _named(place: Place, project: Project) -> bool:
    said = project.annotations.get(VALUES_FROM, "")
    return any(glob_matches(each, place.path, "/") for each in patterns(said))


def _refusal(place: Place, project: Project) -> Forbidden:
    return Forbidden(
        f"Values are not taken from {place}",
        why=f"project {project.name} does not permit it: it is not in the destination's namespace, or such objects are not allowed there",
        hint=f"Annotate AppProject {project.name} with {VALUES_FROM}: {place.path}",
    )
