"""Git repositories: followed in mirrors of our own, read as trees."""

from plumbline.source.git.exchange import Authorised
from plumbline.source.git.followed import Connect
from plumbline.source.git.objects import RawObject
from plumbline.source.git.sources import GitSources
from plumbline.source.git.values import Commit, Moved, Pace, Resolved, State

__all__ = ["Authorised", "Commit", "Connect", "GitSources", "Moved", "Pace", "RawObject", "Resolved", "State"]
