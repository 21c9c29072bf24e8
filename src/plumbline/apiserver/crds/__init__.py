"""CustomResourceDefinitions: whether they may be served, and what they make of objects. Pure."""

from plumbline.apiserver.crds.definition import Definition, Judged, Pruned, Served

__all__ = ["Definition", "Judged", "Pruned", "Served"]
