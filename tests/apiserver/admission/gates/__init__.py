"""What admission does to objects, and what it refuses."""

from collections.abc import Mapping

from tests.apiserver.admission.gates import accounts, certificates, limits, places, priorities, security
from tests.apiserver.scripts.steps import Script

THEMES: Mapping[str, Mapping[str, Script]] = {
    "admission-certificates": certificates.SCRIPTS,
    "admission-limits": limits.SCRIPTS,
    "admission-places": places.SCRIPTS,
    "admission-priorities": priorities.SCRIPTS,
}
COMPLETE_THEMES: Mapping[str, Mapping[str, Script]] = {
    "admission-accounts": accounts.SCRIPTS,
    "admission-security": security.SCRIPTS,
}
"""Of a server with all plugins, and privileged containers."""
