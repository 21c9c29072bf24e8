"""What Git asks for beside what is there: how they differ, whose each field is, and how an application stands.

`prepared` makes desired objects of rendered ones, `paired` puts live ones beside them, `Comparer` compares, or `Foreseer`
asks the destination to, `rolled_up` says how the application stands. `respected` and `migration` are what applying needs to
know; `difference_text` and `masked` are what people may see. All but those two is pure, and total over whatever objects hold.
"""

from plumbline.delivery.compare.comparer import Comparer
from plumbline.delivery.compare.difference import difference
from plumbline.delivery.compare.masking import masked
from plumbline.delivery.compare.migration import last_applied, migration, with_last_applied
from plumbline.delivery.compare.pairing import paired
from plumbline.delivery.compare.preparing import Subject, prepared
from plumbline.delivery.compare.respecting import respected
from plumbline.delivery.compare.rollup import rolled_up
from plumbline.delivery.compare.rules import Rules

__all__ = [
    "Comparer",
    "Rules",
    "Subject",
    "difference",
    "last_applied",
    "masked",
    "migration",
    "paired",
    "prepared",
    "respected",
    "rolled_up",
    "with_last_applied",
]
