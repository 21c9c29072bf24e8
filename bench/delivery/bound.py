"""`bound(argv)`: the same command, ended by the kernel when the program that started it ends, however that happens."""

import sys

_PR_SET_PDEATHSIG = 1
_SIGKILL = 9
_SCRIPT = (
    "import ctypes, os, sys; "
    f"ctypes.CDLL(None).prctl({_PR_SET_PDEATHSIG}, {_SIGKILL}); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


def bound(argv):
    return [sys.executable, "-S", "-c", _SCRIPT, *map(str, argv)]
