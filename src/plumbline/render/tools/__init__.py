"""The programs that render: where they are found, and how one comes to a machine that has none.

On PATH first, then in a cache folder of ours, then built into that folder with Go, once; Kustomize last of all in kubectl.
A Helm with known holes is passed over wherever it lies.
"""

from plumbline.render.tools.pins import HELM, KUSTOMIZE, Pin
from plumbline.render.tools.toolbox import Program, Toolbox

__all__ = ["HELM", "KUSTOMIZE", "Pin", "Program", "Toolbox"]
