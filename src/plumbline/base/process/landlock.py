"""Rules for Landlock, the kernel's own sandbox for files: which rights a confinement grants on which paths."""

import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from plumbline.base.process.command import Confinement

if TYPE_CHECKING:
    from plumbline.base.zygote.order import Landlock

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_IOCTL_DEV = 1 << 15
_READ = _READ_FILE | _READ_DIR
_RUN = _READ | _EXECUTE
_DEVICE = _WRITE_FILE | _READ_FILE

# What each ABI knows beyond the one before it: the kernel refuses rulesets with bits it does not know.
_TRUNCATION_SINCE = 3
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, _TRUNCATION_SINCE: 1 << 14, 5: _IOCTL_DEV}
_TCP_SINCE, _TCP = 4, 0b11
_SCOPES_SINCE, _SCOPES = 6, 0b11

RUNTIME = (
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/sbin",
    "/usr",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/group",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/openssl.cnf",
    "/etc/resolv.conf",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
)
"""Programs, libraries, public certificates and names. Not /proc, where the environment of others is, and of /etc no
directory that keys are kept in."""

_DEVICES = ("/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")


def ruleset(abi: int, confinement: Confinement) -> "Landlock":
    """Deny every file but those beneath the paths named, and every TCP port unless there is network."""
    handled = sum(bits for since, bits in _FILE_RIGHTS.items() if since <= abi)
    attributes = struct.pack("=Q", handled)
    if abi >= _TCP_SINCE:
        attributes += struct.pack("=Q", 0 if confinement.network else _TCP)
    if abi >= _SCOPES_SINCE:
        # Signals and abstract sockets reach no process outside.
        attributes += struct.pack("=Q", _SCOPES)
    paths = [(os.fsencode(path), _READ, True) for path in confinement.readable]
    paths += [(os.fsencode(path), _RUN, True) for path in confinement.executable]
    paths += [(os.fsencode(path), handled & ~(_IOCTL_DEV | _EXECUTE), True) for path in confinement.writable]
    return {"attributes": attributes, "paths": paths}


def runtime(tool: Path) -> list[tuple[bytes, int, bool]]:
    """What a program needs beside what it works on: itself, and those system paths that exist."""
    paths = [(os.fsencode(tool), _RUN, True)]
    paths += [(os.fsencode(path), _RUN, False) for path in RUNTIME]
    return paths + [(os.fsencode(path), _DEVICE, False) for path in _DEVICES]


def covered(abi: int) -> str:
    """In words, what this ABI can hold back, for `plumb doctor`."""
    words = ["files"]
    words += ["truncation"] if abi >= _TRUNCATION_SINCE else []
    words += ["TCP"] if abi >= _TCP_SINCE else []
    words += ["signals and abstract sockets"] if abi >= _SCOPES_SINCE else []
    return f"ABI {abi}: {', '.join(words)}"
