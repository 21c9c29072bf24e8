"""What is told about repositories of charts."""

from typing import Final, NamedTuple

import msgspec

from plumbline.source.polls import Lanes

HELM_LAYER: Final = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
HELM_CONFIG: Final = "application/vnd.cncf.helm.config.v1+json"
MEDIA_TYPES: Final = frozenset(
    {HELM_LAYER, "application/vnd.oci.image.layer.v1.tar", "application/vnd.oci.image.layer.v1.tar+gzip"}
)
"""Of layers that are read, unless settings name others."""


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How often the other side is asked, and how long it may take."""

    poll_s: float = 120.0
    jitter_s: float = 60.0
    """Added to each wait: something between nothing and this."""
    deadline_s: float = 120.0
    """For one answer, all of it."""
    quiet_s: float = 20.0
    """A transfer that brings nothing for so long is given up."""
    lanes: Lanes = Lanes(parallel=16, slow=8, patience_s=10.0)
    downloads: int = 8
    """Archives that are fetched and unpacked at a time."""


class Moved(NamedTuple):
    """What a repository offers changed: `resolve` and `tree` may answer something else now."""

    url: str
    """As `urls.mirror_key` writes the address that Applications name."""
    charts: frozenset[str]
    """Those that changed; the empty name for what an OCI address names without one."""
