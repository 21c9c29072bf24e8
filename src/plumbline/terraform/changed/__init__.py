"""Terraform on pull requests, without a server: what a change concerns, plans kept until the merge, one comment.

`RootModules.found` and `affected` are pure; `Checkout` reads Git; `sealing` keeps plans so that only whoever has the key
can read or make one; `comments` puts a report where people review.
"""

from plumbline.terraform.changed.affected import Affected, Because, affected
from plumbline.terraform.changed.inputs import inputs_digest
from plumbline.terraform.changed.roots import RootModule, RootModules

__all__ = ["Affected", "Because", "RootModule", "RootModules", "affected", "inputs_digest"]
