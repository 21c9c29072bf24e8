"""A lock that installs today installs tomorrow, whatever is released in between."""

from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REQUIREMENTS = Path(__file__).parents[2] / "requirements"


def locked(name: str) -> dict[str, Requirement]:
    lines = (REQUIREMENTS / name).read_text().splitlines()
    pins = [Requirement(line.rstrip(" \\")) for line in lines if line and not line.startswith((" ", "#"))]
    return {canonicalize_name(pin.name): pin for pin in pins}


def asked_for_with_extras(pin: Requirement) -> list[Requirement]:
    try:
        asked = [Requirement(text) for text in requires(pin.name) or ()]
    except PackageNotFoundError:
        return []  # of another platform, or of an extra that is not installed here
    return [each for each in asked if each.extras and applies(each, pin)]


def applies(asked: Requirement, pin: Requirement) -> bool:
    return asked.marker is None or any(asked.marker.evaluate({"extra": extra}) for extra in ("", *pin.extras))


@pytest.mark.parametrize("name", ["core.lock", "dev.lock", "full.lock"])
def test_what_is_asked_for_with_extras_is_pinned_with_them(name: str) -> None:
    # Older pips look for the newest of `package[extra]` where only `package` is pinned, and stop at its hash.
    pins = locked(name)
    missing = [
        f"{pin.name} asks for {asked.name}[{','.join(sorted(asked.extras - pins[canonicalize_name(asked.name)].extras))}]"
        for pin in pins.values()
        for asked in asked_for_with_extras(pin)
        if not asked.extras <= pins[canonicalize_name(asked.name)].extras
    ]

    assert missing == []
