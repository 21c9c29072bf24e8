"""Git repositories: followed in mirrors of our own, read as trees."""

from plumbline.source.git.objects import RawObject
from plumbline.source.git.publishing import Author, Proposal, Standing
from plumbline.source.git.sources import GitSources
from plumbline.source.git.values import Commit, Moved, Pace, Resolved
from plumbline.source.repository import Authorised, Connect
from plumbline.source.state import State

__all__ = [
    "Author",
    "Authorised",
    "Commit",
    "Connect",
    "GitSources",
    "Moved",
    "Pace",
    "Proposal",
    "RawObject",
    "Resolved",
    "Standing",
    "State",
]
