"""Where root modules come from: GitRepositories, which are looked after here, and whatever else has an artifact."""

from plumbline.terraform.sources.accounts import Accounts
from plumbline.terraform.sources.artifacts import Artifacts, Opened
from plumbline.terraform.sources.downloads import Downloads
from plumbline.terraform.sources.room import GitRepositories, Parts
from plumbline.terraform.sources.sources import Sources
from plumbline.terraform.sources.values import Reference, Sourced

__all__ = [
    "Accounts",
    "Artifacts",
    "Downloads",
    "GitRepositories",
    "Opened",
    "Parts",
    "Reference",
    "Sourced",
    "Sources",
]
