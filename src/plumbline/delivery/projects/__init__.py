"""What an AppProject permits, and when. Pure: projects, clusters and the time are handed in."""

from plumbline.delivery.projects.accounts import service_account_for
from plumbline.delivery.projects.permits import (
    permits_application_namespace,
    permits_destination,
    permits_kind,
    permits_object,
    permits_source,
)
from plumbline.delivery.projects.project import Project, effective, global_projects_of
from plumbline.delivery.projects.refusals import object_refusal
from plumbline.delivery.projects.validation import invalid_conditions, project_of

__all__ = [
    "Project",
    "effective",
    "global_projects_of",
    "invalid_conditions",
    "object_refusal",
    "permits_application_namespace",
    "permits_destination",
    "permits_kind",
    "permits_object",
    "permits_source",
    "project_of",
    "service_account_for",
]
