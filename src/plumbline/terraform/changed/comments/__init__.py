"""One comment on a pull request, written once and kept up to date: on GitHub, GitLab, Gitea and Bitbucket."""

from plumbline.terraform.changed.comments.forges import FORGES, LIMITS, Forge
from plumbline.terraform.changed.comments.places import Place, place_of
from plumbline.terraform.changed.comments.sticky import Posted, posted

__all__ = ["FORGES", "LIMITS", "Forge", "Place", "Posted", "place_of", "posted"]
