"""The machine itself: Python, free ports, disk and clock."""

import contextlib
import platform
import shutil
import socket
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from plumbline.base.clock import Clock, rfc3339
from plumbline.cli.checks.findings import Finding, failed, ok, warning

API_PORT: Final = 6443
WEB_PORT: Final = 8080
_OLDEST_PYTHON: Final = (3, 11)
_LEAST_BYTES: Final = 200 << 20
_COMFORTABLE_BYTES: Final = 2 << 30


def python_version(found: tuple[int, int] = sys.version_info[:2]) -> Finding:
    says = platform.python_version()
    if found < _OLDEST_PYTHON:
        wanted = ".".join(map(str, _OLDEST_PYTHON))
        return failed("python", f"{says}, and {wanted} is the oldest that works", f"Install Python {wanted} or newer.")
    return ok("python", says)


def ports() -> Iterator[Finding]:
    """Whether the ports that the control plane will use are free; others can be chosen, so a taken one only warns."""
    for port, what in ((API_PORT, "Kubernetes API"), (WEB_PORT, "web")):
        name = f"port {port}"
        if _free(port):
            yield ok(name, f"free ({what})")
        else:
            yield warning(name, f"taken ({what})", f"See who listens with `ss -ltnp sport = :{port}`.")


def _free(port: int) -> bool:
    with contextlib.closing(socket.socket()) as probe:
        # As servers do, so that connections of a server that has just ended do not count as one.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def disk(folder: Path) -> Finding:
    """Room where Plumbline keeps its files; the folder itself need not exist yet."""
    existing = next(each for each in (folder, *folder.parents) if each.exists())
    free_bytes = shutil.disk_usage(existing).free
    says = f"{free_bytes / (1 << 30):.1f} GiB free in {existing}"
    if free_bytes < _LEAST_BYTES:
        return failed("disk", says, "Make room: less than 200 MiB is left.")
    if free_bytes < _COMFORTABLE_BYTES:
        return warning("disk", says, "Make room soon: less than 2 GiB is left.")
    return ok("disk", says)


def clock(now: Clock, installed: Path) -> Finding:
    """Certificates and tokens fail in odd ways when it is wrong; that it went back is all one can tell alone."""
    moment = now.now()
    earliest = datetime.fromtimestamp(installed.stat().st_mtime, UTC) - timedelta(days=1)
    if moment < earliest:
        says = f"{rfc3339(moment)}, which is before Plumbline was installed ({rfc3339(earliest)})"
        return failed("clock", says, "Set the clock, for instance with `timedatectl set-ntp true`.")
    return ok("clock", rfc3339(moment))
