"""Values that nobody keeps: made up when somebody refreshes, and known to nobody but the Secret that they end in.

making   pure: what a generator of some kind makes
finding  which generator is meant, in a namespace or of the cluster
"""

from plumbline.secrets.generators.finding import Generators
from plumbline.secrets.generators.making import RUN

__all__ = ["RUN", "Generators"]
