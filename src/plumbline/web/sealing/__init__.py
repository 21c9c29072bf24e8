"""What kubeseal asks a Sealed Secrets controller, on a port of its own: everybody in a cluster may come there.

part = Sealing(sealer, clock, Counts(registry))
async with SealingPort(SealingSettings(), part).running() as port: ...
"""

from plumbline.web.sealing.counts import Counts
from plumbline.web.sealing.listener import SealingPort, SealingSettings
from plumbline.web.sealing.part import Sealer, Sealing
from plumbline.web.sealing.terms import Terms

__all__ = ["Counts", "Sealer", "Sealing", "SealingPort", "SealingSettings", "Terms"]
