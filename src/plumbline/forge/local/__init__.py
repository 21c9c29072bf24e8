"""A forge of our own: bare repositories in a folder, served at `/git/`, that may stand for repositories elsewhere."""

from plumbline.forge.local.beginnings import Author, Beginning
from plumbline.forge.local.forge import LocalForge
from plumbline.forge.local.git import RefUpdate
from plumbline.forge.local.names import checked_name

__all__ = ["Author", "Beginning", "LocalForge", "RefUpdate", "checked_name"]
