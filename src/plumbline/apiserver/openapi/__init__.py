"""The schemas and operations of everything that is served, as OpenAPI 3 and OpenAPI 2 documents."""

from plumbline.apiserver.openapi.documents import Documents
from plumbline.apiserver.openapi.published import Published

__all__ = ["Documents", "Published"]
