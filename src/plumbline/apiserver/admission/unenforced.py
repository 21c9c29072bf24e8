"""Objects that ask for something this control plane does not do: they are kept, and whoever writes one is told."""

from typing import Final

from plumbline.apiserver.admission.plugin import Validating, creates, updates
from plumbline.apiserver.objects.admission import Attributes
from plumbline.apiserver.resources.resource import Collection

_POLICIES: Final = "admissionregistration.k8s.io"
_UNENFORCED: Final = frozenset(
    {
        Collection("", "resourcequotas"),
        Collection("networking.k8s.io", "networkpolicies"),
        Collection(_POLICIES, "mutatingadmissionpolicies"),
        Collection(_POLICIES, "mutatingadmissionpolicybindings"),
        Collection(_POLICIES, "validatingadmissionpolicies"),
        Collection(_POLICIES, "validatingadmissionpolicybindings"),
    }
)


class Unenforced(Validating):
    name = "Unenforced"
    concerns = _UNENFORCED

    async def check(self, attributes: Attributes) -> None:
        if creates(attributes) or updates(attributes):
            plural = attributes.scope.resource.plural
            warning = f"{plural} are stored, but this control plane does not enforce them"
            attributes.scope.warnings.append(warning)
