"""Defaults of built-in kinds: what the server adds to an object before anything else looks at it.

Pure functions of the object alone, exactly those of Kubernetes 1.36 with its feature gates untouched, and with what its
conversions between versions do to an object on the way in. Not here: what depends on other objects or on the request
(allocated addresses, status, generation), which strategies and admission see to.
"""

from plumbline.apiserver.defaults.kinds import defaulted

__all__ = ["defaulted"]
