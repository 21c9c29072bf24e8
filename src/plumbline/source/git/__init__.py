"""Git repositories: followed in mirrors of our own, read as trees."""

from plumbline.source.git.objects import RawObject
from plumbline.source.git.sources import GitSources
from plumbline.source.git.values import Commit, Moved, Pace, Resolved
from plumbline.source.repository import Authorised, Connect
from plumbline.source.state import State

__all__ = ["Authorised", "Commit", "Connect", "GitSources", "Moved", "Pace", "RawObject", "Resolved", "State"]
