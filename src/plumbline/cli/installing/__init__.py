"""What `plumb install` prints: everything that a cluster needs to have the controllers in it, as a function of what was asked for."""

from plumbline.cli.installing.manifests import definitions, manifests
from plumbline.cli.installing.wanted import Wanted

__all__ = ["Wanted", "definitions", "manifests"]
