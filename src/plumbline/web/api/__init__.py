"""Argo CD's REST API: one module or package for each family, all of them endpoints of one part."""

from plumbline.web.api.endpoints import Endpoint, Endpoints
from plumbline.web.api.rights import Asker, Rights

__all__ = ["Asker", "Endpoint", "Endpoints", "Rights"]
