"""Charts: from Helm repositories and OCI registries, read as trees."""

from plumbline.source.charts.sources import ChartSources, Options
from plumbline.source.charts.values import Moved, Pace
from plumbline.source.state import State

__all__ = ["ChartSources", "Moved", "Options", "Pace", "State"]
