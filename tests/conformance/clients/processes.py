"""Programs that run beside a test: it reads and writes them, and whatever happens they end with it."""

import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

_LONGEST_S = 90


@contextmanager
def beside(
    argv: Sequence[str], *, folder: Path, environment: Mapping[str, str], errors: int = subprocess.PIPE
) -> Iterator[subprocess.Popen[str]]:
    """A program that is killed when the block is left, or when it has taken too long for any test."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        argv, cwd=folder, env=dict(environment), stdin=pipe, stdout=pipe, stderr=errors, text=True
    )
    timer = threading.Timer(_LONGEST_S, process.kill)
    timer.start()
    try:
        with process:
            try:
                yield process
            finally:
                process.kill()
    finally:
        timer.cancel()
