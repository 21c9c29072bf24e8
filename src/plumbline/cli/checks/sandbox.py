"""What this kernel lets us enforce on the programs that we run."""

from collections.abc import Iterable, Iterator
from typing import Final

from plumbline.base.process import Capability
from plumbline.cli.checks.findings import Finding, ok, warning

_FIX: Final = "Tools run with fewer bounds here; use a newer kernel, or allow it in the container's security settings."


def sandbox(capabilities: Iterable[Capability]) -> Iterator[Finding]:
    for each in capabilities:
        name = f"sandbox: {each.name}"
        yield ok(name, each.detail) if each.available else warning(name, each.detail, _FIX)
