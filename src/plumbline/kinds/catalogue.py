"""Every kind that there is, for whoever installs, documents or tests them all."""

from typing import Any, Final

from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.crossplane import CROSSPLANE_KINDS
from plumbline.kinds.flux import FLUX_KINDS
from plumbline.kinds.kind import Kind
from plumbline.kinds.mandate import MANDATE
from plumbline.kinds.secrets import SECRETS_KINDS
from plumbline.kinds.terraform import TERRAFORM_KINDS

KINDS: Final[tuple[Kind[Any, Any], ...]] = (
    APPLICATION,
    APP_PROJECT,
    MANDATE,
    *CROSSPLANE_KINDS,
    *FLUX_KINDS,
    *SECRETS_KINDS,
    *TERRAFORM_KINDS,
)
