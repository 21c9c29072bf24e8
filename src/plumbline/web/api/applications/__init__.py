"""`/api/v1/applications`: the Application objects themselves; what they deliver is another family's business."""

from plumbline.web.api.applications.api import ApplicationsApi

__all__ = ["ApplicationsApi"]
