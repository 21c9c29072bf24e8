"""How much a pipeline, and what functions answer in it, may take."""

from dataclasses import dataclass

from plumbline.base.limits import MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    pipeline_s: float = 120.0
    """All steps together, with whatever is fetched for them."""
    call_s: float = 60.0
    """One run of one function."""
    reruns: int = 5
    """How often a function is run again because it asks for something else."""
    resources: int = 5_000
    """Composed resources of one composite."""
    state_bytes: int = 32 * MIB
    """All that is desired, and the context, as JSON."""
    name_chars: int = 1_024
    """The name that a composition gives a composed resource."""
    requirements: int = 256
    """What one answer may ask for."""
    required: int = 10_000
    """Objects that one function is shown."""
    told: int = 1_000
    """Results, and as many conditions, of one answer."""
    message_chars: int = 4_096
