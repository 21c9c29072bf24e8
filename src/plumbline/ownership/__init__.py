"""The ledger: every object and external resource has exactly one declared owner.

Claims are learned from what others write anyway: tracking annotations, owner references, Compositions, Terraform's
state and HCL. A second owner is refused before anything is written, naming both sides and where they say so. The core
is pure; `edges` reads files and `gathering` asks clusters.
"""

from plumbline.ownership.conflicts import Conflict
from plumbline.ownership.ledger import Ledger, Link
from plumbline.ownership.values import (
    Claim,
    ClusterObject,
    Engine,
    External,
    Learned,
    Owner,
    Resource,
    Source,
    Unnamed,
)

__all__ = [
    "Claim",
    "ClusterObject",
    "Conflict",
    "Engine",
    "External",
    "Learned",
    "Ledger",
    "Link",
    "Owner",
    "Resource",
    "Source",
    "Unnamed",
]
