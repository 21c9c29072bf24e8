"""In which wave an object is applied, as its annotations say."""

import re
from collections.abc import Mapping
from typing import Final

WAVE: Final = "argocd.argoproj.io/sync-wave"
HELM_WEIGHT: Final = "helm.sh/hook-weight"
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_LIMIT: Final = 2**63


def wave(annotations: Mapping[str, str]) -> int:
    """The wave it names, else its weight as a Helm hook, else 0. What is no number was never said."""
    for name in (WAVE, HELM_WEIGHT):
        text = annotations.get(name)
        if text is not None and _NUMBER.fullmatch(text):
            value = int(text)
            if -_LIMIT <= value < _LIMIT:
                return value
    return 0
