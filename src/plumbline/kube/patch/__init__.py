"""Three of the four ways to change a part of an object; server-side apply has its own room.

Each takes an object and a patch and returns a new object, which shares with the old one what did not change.
"""

from plumbline.kube.patch.json_patch import json_patch
from plumbline.kube.patch.merge_patch import create_merge_patch, merge_patch
from plumbline.kube.patch.strategic import strategic_patch

__all__ = ["create_merge_patch", "json_patch", "merge_patch", "strategic_patch"]
