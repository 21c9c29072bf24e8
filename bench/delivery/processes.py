"""What processes use, as /proc tells it: CPU time, with that of children which have ended, and memory."""

import os
from pathlib import Path
from typing import NamedTuple

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PROC = Path("/proc")
_IDLE, _IOWAIT, _GUEST = 3, 4, 8


class Stat(NamedTuple):
    pid: int
    parent: int
    cpu_s: float
    """Its own and that of children it has waited for, and of theirs, in user and system mode."""


class Memory(NamedTuple):
    rss_mb: float
    pss_mb: float
    """Pages that several processes share count for each in part, so that sums over processes are true."""


def stat_of(text):
    """One process's /proc/PID/stat. Its name may hold spaces and parentheses."""
    head, _, tail = text.rpartition(")")
    fields = tail.split()
    return Stat(int(head.split(" ", 1)[0]), int(fields[1]), sum(map(int, fields[11:15])) / TICKS_PER_S)


def memory_of(text):
    """One process's /proc/PID/smaps_rollup."""
    kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in text.splitlines() if line.endswith(" kB")}
    return Memory(kilobytes.get("Rss", 0) / 1024, kilobytes.get("Pss", 0) / 1024)


def busy_s_of(text):
    """Seconds that all cores of the machine together were busy, by /proc/stat. What the host took away counts as busy."""
    # Time as somebody's guest is in user time already.
    numbers = [int(each) for each in text.splitlines()[0].split()[1:]][:_GUEST]
    return (sum(numbers) - numbers[_IDLE] - numbers[_IOWAIT]) / TICKS_PER_S


def family(roots, stats, without=()):
    """*roots* and all that descend from them, except *without* and what descends from those."""
    children = {}
    for stat in stats:
        children.setdefault(stat.parent, []).append(stat)
    known = {stat.pid: stat for stat in stats}
    found, waiting = {}, [known[root] for root in roots if root in known]
    while waiting:
        stat = waiting.pop()
        if stat.pid not in found and stat.pid not in without:
            found[stat.pid] = stat
            waiting.extend(children.get(stat.pid, ()))
    return list(found.values())


def all_stats():
    return [stat_of(text) for folder in PROC.iterdir() if folder.name.isdigit() and (text := _text(folder / "stat"))]


def memory(roots):
    """Of *roots* and of all that descend from them and live."""
    each = [memory_of(_text(PROC / str(stat.pid) / "smaps_rollup")) for stat in family(roots, all_stats())]
    return Memory(sum(one.rss_mb for one in each), sum(one.pss_mb for one in each))


def busy_s():
    return busy_s_of(_text(PROC / "stat"))


def alive(pid):
    text = _text(PROC / str(pid) / "stat")
    return bool(text) and text.rpartition(")")[2].split()[0] not in {"Z", "X"}


def pids_in(folder):
    """By name, from the files in which peers leave the numbers of their processes."""
    return {path.stem: int(path.read_text()) for path in sorted(folder.glob("*.pid"))}


def _text(path):
    """Empty where the process has ended meanwhile."""
    try:
        return path.read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
