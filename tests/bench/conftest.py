"""Benchmarks are scripts beside the package; their parts that fold and judge figures are tested like everything else."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
