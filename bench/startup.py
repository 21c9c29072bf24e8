"""How long the command takes to answer, and how much an install weighs."""

import shutil
import subprocess
import sys
import time
from importlib.metadata import distribution
from pathlib import Path

from bench.timing import line

ROOT = Path(__file__).parents[1]


def run():
    plumb = shutil.which("plumb", path=str(Path(sys.executable).parent))
    for arguments in (["--help"], ["version"]):
        line(f"plumb {' '.join(arguments)}", f"{answer_ms([plumb, *arguments]):.0f} ms", "<= 120 ms")
    line("python -c pass, for comparison", f"{answer_ms([sys.executable, '-c', 'pass']):.0f} ms")
    line("core install", f"{core_megabytes():.0f} MB", "<= 150 MB")


def answer_ms(command, times=12):
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        best = min(best, time.perf_counter() - start)
    return best * 1000


def core_megabytes():
    names = [
        text.split("==")[0] for text in (ROOT / "requirements" / "core.lock").read_text().splitlines() if "==" in text
    ]
    total = 0
    for name in names:
        try:
            files = distribution(name).files or ()
        except ModuleNotFoundError:
            continue  # for another platform
        total += sum(path.stat().st_size for file in files if (path := Path(file.locate())).is_file())
    return total / 1e6
