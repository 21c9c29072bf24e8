"""Sockets that notice when the other side is gone: a watch may be silent for minutes, a dead peer is silent for ever."""

import socket

_IDLE_S = 30
_INTERVAL_S = 10
_PROBES = 3
_UNACKNOWLEDGED_MS = 30_000

AddrInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[object, ...]]

_OPTIONS = {
    "TCP_KEEPIDLE": _IDLE_S,
    "TCP_KEEPINTVL": _INTERVAL_S,
    "TCP_KEEPCNT": _PROBES,
    "TCP_USER_TIMEOUT": _UNACKNOWLEDGED_MS,
}


def patient_socket(address: AddrInfo) -> socket.socket:
    """A socket that the kernel itself probes while it is idle; about a minute of silence from the machine ends it."""
    family, kind, protocol, _, _ = address
    made = socket.socket(family=family, type=kind, proto=protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _OPTIONS.items():
        option = getattr(socket, name, None)
        if option is not None:
            made.setsockopt(socket.IPPROTO_TCP, option, value)
    return made
