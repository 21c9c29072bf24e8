"""What the web port offers, described for programs that generate clients and for people who look.

Parts declare `Operation`s beside their routes; `OpenApi` is the part that serves the description of all of them.
"""

from plumbline.web.openapi.document import document
from plumbline.web.openapi.part import OpenApi

__all__ = ["OpenApi", "document"]
