"""Requests, as data: what is sent to the real server to learn its answers, and to ours to see whether it gives the same."""

from collections.abc import Mapping

from tests.apiserver.scripts import (
    creating,
    decoding,
    deleting,
    impersonating,
    listing,
    media,
    octets,
    patchbodies,
    patching,
    paths,
    scaling,
    trying,
    updating,
    watching,
)
from tests.apiserver.scripts.steps import Script

THEMES: Mapping[str, Mapping[str, Script]] = {
    module.__name__.rsplit(".", 1)[1]: module.SCRIPTS
    for module in (
        creating,
        decoding,
        deleting,
        impersonating,
        listing,
        media,
        octets,
        patchbodies,
        patching,
        paths,
        scaling,
        trying,
        updating,
        watching,
    )
}
EVERY = [(theme, name) for theme, scripts in THEMES.items() for name in scripts]
