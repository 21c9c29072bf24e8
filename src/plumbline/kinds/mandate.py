"""Mandate (plumbline.dev/v1alpha1): what this installation may touch. There is one, called `default`."""

from typing import Annotated, Final, Literal

from plumbline.kinds.fields import DEFAULTED, WHOLE, Fields
from plumbline.kinds.kind import Column, Kind, NoStatus, Version


class Grant(Fields):
    """Some objects: every field that is given must match, and one that is not given matches everything."""

    group: str | None = None
    """API group, such as argoproj.io; empty for the core group."""
    kind: str = ""
    """Kind of the objects, such as Application."""
    namespace: str = ""
    """Namespace they are in."""
    name: str = ""
    """Name of one object."""
    project: str = ""
    """AppProject that the application belongs to."""


class MandateSpec(Fields):
    mode: Annotated[Literal["Observe", "Enforce"], DEFAULTED] = "Observe"
    """Observe: nothing is written but what was adopted. Enforce: everything is, but what was released."""
    adopted: Annotated[tuple[Grant, ...], WHOLE] = ()
    """Handed over to this installation."""
    released: Annotated[tuple[Grant, ...], WHOLE] = ()
    """Handed back."""


MANDATE: Final = Kind(
    group="plumbline.dev",
    kind="Mandate",
    plural="mandates",
    namespaced=False,
    description="What this installation of Plumbline may touch.",
    versions=(
        Version(
            name="v1alpha1",
            spec=MandateSpec,
            status=NoStatus,
            columns=(Column(name="Mode", path=".spec.mode"),),
        ),
    ),
)
