"""Charts, rendered as Argo CD renders them by a Helm that reaches nothing but the chart and its values."""

from plumbline.render.helm.dependencies import Charts, Dependency, NoCharts
from plumbline.render.helm.tool import Helm

__all__ = ["Charts", "Dependency", "Helm", "NoCharts"]
