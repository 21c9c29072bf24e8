"""What the page of one Application shows below the Application itself: its objects, their logs, events and differences.

    parts = Parts(desk=desk, destinations=destinations, gate=gate, lua=evaluator, links=links, still_valid=askers.still_valid)
    api = ResourcesApi(parts)
    Endpoints([*applications.endpoints, *api.endpoints]).routes

Everything is asked of the cluster itself, so that any replica answers; only what has to be rendered needs `rendering`.
Whoever asks about an object is answered only after it was found to be this Application's.
"""

from plumbline.web.api.resources.part import ResourcesApi
from plumbline.web.api.resources.seams import Origins, Parts, Rendering

__all__ = ["Origins", "Parts", "Rendering", "ResourcesApi"]
