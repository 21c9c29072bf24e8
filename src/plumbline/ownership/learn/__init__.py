"""What objects say about who owns them: pure functions from metadata, and from the little of a spec that names things.

An object can be tracked by Argo CD, released by Helm, applied by Flux, composed by Crossplane, or be the child of
another object; a managed resource or a Terraform object also owns things outside. Nothing here asks a server.
"""

from plumbline.ownership.learn.facts import Facts, facts_of, read_facts
from plumbline.ownership.learn.managed import learn_managed
from plumbline.ownership.learn.objects import Setting, learn
from plumbline.ownership.learn.terraform import learn_terraform
from plumbline.ownership.learn.tracking import Tracking, TrackingId

__all__ = [
    "Facts",
    "Setting",
    "Tracking",
    "TrackingId",
    "facts_of",
    "learn",
    "learn_managed",
    "learn_terraform",
    "read_facts",
]
