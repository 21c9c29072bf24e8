"""How much of somebody else's text is read before it is refused.

Nothing else stands between a repository that anybody may push to and the memory of the process, so every reader takes
a `Limits` and there is no value that means "without limit".
"""

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB

UPLOADED_BYTES = 32 * MIB
"""A folder that somebody sends to have it rendered, packed."""

DEEPEST = 250
"""No preset and no caller goes deeper: readers, diffs and encoders recurse once or twice per level, and Python stops at
a thousand frames. CustomResourceDefinitions, the deepest objects that people write, have a few dozen levels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds for one text: a file, a request body, what a renderer printed."""

    size_bytes: int
    scalar_bytes: int
    """One string, key or number as it is written."""
    depth: int
    nodes: int
    """Mappings, lists, keys and scalars as they are written, over all documents of the text."""
    expanded_nodes: int
    """The same after each alias has been replaced by what it stands for."""
    expanded_chars: int
    """Text that aliases stand for, in sum: one long string is repeated as cheaply as a large list."""
    documents: int
    """Empty ones counted: they are skipped, but each is parsed."""

    def __post_init__(self) -> None:
        if min(getattr(self, name) for name in self.__slots__) < 1:
            raise ValueError("every limit is at least 1")
        if self.depth > DEEPEST:
            raise ValueError(f"nothing is read deeper than {DEEPEST} levels")


MANIFESTS = Limits(
    # Bundles of CRDs are the largest files that people commit: some mebibytes. A mebibyte of manifests has 80,000
    # nodes at most, so dense text meets the second bound at 19 MiB. Once read, a node takes some 100 bytes beside its
    # text, so that the worst of all texts stays below 300 MiB.
    size_bytes=32 * MIB,
    scalar_bytes=4 * MIB,
    depth=200,
    nodes=1_500_000,
    expanded_nodes=2_000_000,
    expanded_chars=64 * MIB,
    documents=20_000,
)
"""A file in a repository, or all that a renderer prints for one application."""

REQUESTS = Limits(
    size_bytes=3 * MIB,
    scalar_bytes=3 * MIB,
    depth=200,
    nodes=500_000,
    expanded_nodes=500_000,
    expanded_chars=6 * MIB,
    documents=1,
)
"""The body of a request: Kubernetes refuses more than 3 MiB, and so nothing that could be stored is refused here."""

SETTINGS = Limits(
    size_bytes=1 * MIB,
    scalar_bytes=256 * KIB,
    depth=50,
    nodes=50_000,
    expanded_nodes=50_000,
    expanded_chars=2 * MIB,
    documents=100,
)
"""What people write by hand and read whole: kubeconfigs, Chart.yaml, kustomization.yaml."""
