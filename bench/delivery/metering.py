"""What a stretch of time cost, and whom: the engine, the cluster, this program, and everybody else on the machine."""

import os
import time
from typing import NamedTuple

from bench.delivery import processes


class Mark(NamedTuple):
    at_s: float
    engine_s: dict[str, float]
    cluster_s: dict[str, float]
    own_s: float
    busy_s: float


class Meter:
    def __init__(self, engine, cluster):
        """*engine* and *cluster* are process ids by name."""
        self._engine = engine
        self._cluster = cluster

    def mark(self):
        stats = processes.all_stats()

        def cpu_s(*roots, without=()):
            return sum(stat.cpu_s for stat in processes.family(roots, stats, without))

        return Mark(
            time.perf_counter(),
            {name: cpu_s(pid) for name, pid in self._engine.items()},
            {name: cpu_s(pid) for name, pid in self._cluster.items()},
            cpu_s(os.getpid(), without=set(self._engine.values())),
            processes.busy_s(),
        )

    def since(self, start):
        """Figures for a row, from *start* until now."""
        return spent(start, self.mark())

    def memory(self):
        """Figures for a row: the engine's memory now."""
        now = processes.memory(self._engine.values())
        return {"rss_mb": round(now.rss_mb, 1), "pss_mb": round(now.pss_mb, 1)}

    def ended(self):
        """Names of the engine's processes that are no more."""
        return [name for name, pid in self._engine.items() if not processes.alive(pid)]


def spent(start, end):
    engine, cluster = _parts(start.engine_s, end.engine_s), _parts(start.cluster_s, end.cluster_s)
    engine_s, cluster_s, own_s = sum(engine.values()), sum(cluster.values()), end.own_s - start.own_s
    others_s = end.busy_s - start.busy_s - engine_s - cluster_s - own_s
    return {
        "cpu_s": round(engine_s, 2),
        "cpu_s_by_process": _rounded(engine),
        "cluster_cpu_s": round(cluster_s, 2),
        "cluster_cpu_s_by_process": _rounded(cluster),
        "own_cpu_s": round(own_s, 2),
        "others_cpu_s": round(max(0.0, others_s), 2),
        "took_s": round(end.at_s - start.at_s, 2),
    }


def _parts(start, end):
    return {name: end[name] - before for name, before in start.items()}


def _rounded(parts):
    return {name: round(cpu_s, 2) for name, cpu_s in parts.items()}


def busy_cores(over_s=3.0):
    """How many cores' worth of work the machine does while we do none."""
    before = processes.busy_s()
    time.sleep(over_s)
    return (processes.busy_s() - before) / over_s
