"""The one place that knows every room; it builds `plumb up` and `plumb run`."""

from plumbline.wiring.asked import Admitting, Running, Started, Up
from plumbline.wiring.starting import run, up

__all__ = ["Admitting", "Running", "Started", "Up", "run", "up"]
