"""Which addresses are those of API servers that AWS runs. Pure.

Only names below which nobody but EKS gives any away: anybody can have `<id>.execute-api.<region>.api.aws`.
"""

import re
from typing import Final
from urllib.parse import urlsplit

_LABELS: Final = r"(?:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+"
_REGION: Final = r"(?P<region>[a-z]{2,4}(?:-[a-z]+){1,3}-[0-9]{1,2})"
_eks: Final = tuple(
    re.compile(_LABELS + each, re.ASCII).fullmatch
    for each in (
        rf"{_REGION}\.eks\.amazonaws\.com(?:\.cn)?",
        # Of clusters with IPv6, since October 2024.
        rf"eks-cluster\.{_REGION}\.api\.(?:aws|amazonwebservices\.com\.cn)",
    )
)


def host_of(address: str) -> str:
    """Of a server, in small letters; empty where it has none."""
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""


def region_of(server: str) -> str:
    """The region of an API server that AWS runs; empty where *server* is not one."""
    host = host_of(server)
    found = next((match for match in (each(host) for each in _eks) if match), None)
    return found["region"] if found else ""
