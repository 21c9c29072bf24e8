"""Kinds of Flux and its tofu-controller: sources of files, and Terraform objects over them."""

from typing import Any, Final

from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kinds.kind import Kind

FLUX_KINDS: Final[tuple[Kind[Any, Any], ...]] = (GIT_REPOSITORY, TERRAFORM)
