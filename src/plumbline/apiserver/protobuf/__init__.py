"""Protobuf, as far as Kubernetes clients insist on it: bodies that they send, and the OpenAPI v2 document they ask for.

Typed clients send built-in kinds in no other form, and take JSON as an answer; so bodies are read and never written.
"""

from plumbline.apiserver.protobuf.bodies import decoded
from plumbline.apiserver.protobuf.openapi import openapi_v2

__all__ = ["decoded", "openapi_v2"]
