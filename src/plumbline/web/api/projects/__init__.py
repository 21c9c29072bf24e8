"""`/api/v1/projects`: what groups of applications may use, and who may do something with them."""

from plumbline.web.api.projects.api import Projects
from plumbline.web.api.projects.tokens import Issue

__all__ = ["Issue", "Projects"]
