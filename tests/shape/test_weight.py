"""The core install stays small enough for a laptop and a sidecar."""

import re
from importlib.metadata import distribution
from pathlib import Path

LOCK = Path(__file__).parents[2] / "requirements" / "core.lock"
BUDGET_BYTES = 165_000_000
"""See ADR 0015."""


def _locked():
    return re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==", LOCK.read_text(), re.MULTILINE)


def _bytes(name):
    """What the package's own record of installed files says; files it does not weigh (compiled bytecode) are looked at."""
    total = 0
    for file in distribution(name).files or ():
        path = file.locate()
        total += file.size if file.size is not None else path.stat().st_size if path.is_file() else 0
    return total


def test_the_core_install_is_within_its_budget():
    weights = {name: _bytes(name) for name in _locked()}
    heaviest = sorted(weights.items(), key=lambda item: -item[1])[:5]
    assert sum(weights.values()) <= BUDGET_BYTES, heaviest


def test_every_locked_package_has_been_weighed():
    weights = {name: _bytes(name) for name in _locked()}
    assert len(weights) > 10
    assert [name for name, weight in weights.items() if not weight] == []
