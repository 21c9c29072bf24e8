"""Rows folded into one table per load: figures of each engine, ratios to the better Argo CD, and which targets are met."""

import statistics
from typing import NamedTuple

from bench.delivery.engines import FLOOR, OURS

_LEAST = 0.01  # What the kernel's clock can tell; ratios to less than that would be made up.
_BUSY_CORES = 0.1
_OF_NOBODY = {"create"}  # It is kubectl's time, not an engine's.


class Figure(NamedTuple):
    key: str
    phase: str
    field: str
    title: str
    unit: str
    digits: int


FIGURES = (
    Figure("delivered", "first-sync", "all_delivered_s", "first sync, until all is delivered and compared", "s", 2),
    Figure("delivered_cpu", "first-sync-delivered", "cpu_s", "  its CPU", "s", 2),
    Figure("delivered_cluster_cpu", "first-sync-delivered", "cluster_cpu_s", "  the cluster's CPU", "s", 2),
    Figure("first_sync", "first-sync", "all_synced_s", "first sync, until healthy too", "s", 2),
    Figure("create", "first-sync", "create_s", "  of it making the Applications", "s", 2),
    Figure("first_sync_cpu", "first-sync", "cpu_s", "first sync until healthy, CPU", "s", 2),
    Figure("settled_cpu", "first-sync-settled", "cpu_s", "  and in the 15 s after it", "s", 2),
    Figure("cluster_cpu", "first-sync", "cluster_cpu_s", "  the cluster's CPU meanwhile", "s", 2),
    Figure("memory", "first-sync", "pss_mb", "memory after first sync, shared once (PSS)", "MB", 0),
    Figure("memory_rss", "first-sync", "rss_mb", "memory after first sync (RSS)", "MB", 0),
    Figure("push_live", "push-one", "live_s", "push of one file, until live", "s", 3),
    Figure("push_all", "push-one", "all_at_revision_s", "push, until all are at the new revision", "s", 3),
    Figure("push_cpu", "push-one", "cpu_s", "push, CPU", "s", 2),
    Figure("heal", "drift-heal", "healed_s", "drift, until healed", "s", 3),
    Figure("quiet_cpu", "quiet", "cpu_s", "quiet, CPU", "s", 2),
    Figure("quiet_memory", "quiet", "pss_mb", "memory after quiet, shared once (PSS)", "MB", 0),
    Figure("quiet_memory_rss", "quiet", "rss_mb", "memory after quiet (RSS)", "MB", 0),
)


class Target(NamedTuple):
    """At least so many times less than the better Argo CD, or never more than so much."""

    times: float = 0
    limit: float = 0

    def __str__(self):
        return f">= {self.times:g}x" if self.times else f"<= {self.limit:g}"

    def met(self, ratio, worst):
        """None where there is nobody to compare with."""
        if self.times:
            return None if ratio is None else ratio >= self.times
        return worst <= self.limit


_MEMORY = dict.fromkeys(("memory", "memory_rss", "quiet_memory", "quiet_memory_rss"), Target(times=5))
TARGETS = {
    ("plain", 200): {
        "delivered": Target(times=18),
        "first_sync": Target(times=18),
        "first_sync_cpu": Target(times=30),
        "push_live": Target(times=10),
        "push_all": Target(times=7),
        "heal": Target(times=3),
        "quiet_cpu": Target(times=1),
        **_MEMORY,
    },
    ("plain", 1000): {
        "delivered": Target(times=25),
        "first_sync": Target(times=25),
        "first_sync_cpu": Target(times=35),
        "push_live": Target(limit=0.6),
        "push_all": Target(times=9),
        **_MEMORY,
    },
    ("plain", 5000): {
        "push_live": Target(limit=1.0),
        **dict.fromkeys(("memory", "memory_rss", "quiet_memory", "quiet_memory_rss"), Target(limit=500)),
    },
}


class Value(NamedTuple):
    """Of several trials the middle one, and the worst."""

    middle: float
    worst: float
    trials: int


class Line(NamedTuple):
    figure: Figure
    values: dict[str, Value]
    """By engine."""
    ratio: float | None
    target: Target | None
    met: bool | None


def values_of(rows):
    """Figures of one engine under one load, by key; those of phases that were not done are missing."""
    found = {}
    for figure in FIGURES:
        done = (row for row in rows if row["phase"] == figure.phase and row.get("done", True))
        numbers = [row[figure.field] for row in done if figure.field in row]
        if numbers:
            found[figure.key] = Value(statistics.median(numbers), max(numbers), len(numbers))
    return found


def ratio_of(figure, values):
    """How many times more the better of the others needs than we do."""
    if figure.key in _OF_NOBODY:
        return None
    others = [value.middle for name, value in values.items() if name not in {OURS, FLOOR}]
    if OURS not in values or not others:
        return None
    least = 10**-figure.digits if figure.unit == "s" and figure.digits > 2 else _LEAST
    return max(min(others), least) / max(values[OURS].middle, least)


def lines_of(rows):
    """The table of one load."""
    shape, apps = rows[0]["shape"], rows[0]["apps"]
    engines = list(dict.fromkeys(row["engine"] for row in rows))
    by_engine = {name: values_of([row for row in rows if row["engine"] == name]) for name in engines}
    for figure in FIGURES:
        values = {name: found[figure.key] for name, found in by_engine.items() if figure.key in found}
        ratio = ratio_of(figure, values)
        target = TARGETS.get((shape, apps), {}).get(figure.key)
        met = target.met(ratio, values[OURS].worst) if target and OURS in values else None
        if values:
            yield Line(figure, values, ratio, target, met)


def loads_of(rows):
    """Rows that belong into one table, by shape and number of applications."""
    loads = {}
    for row in rows:
        loads.setdefault((row["shape"], row["apps"]), []).append(row)
    return loads


def table(rows):
    """The lines of text of one load's table."""
    shape, apps = rows[0]["shape"], rows[0]["apps"]
    engines = list(dict.fromkeys(row["engine"] for row in rows))
    yield f"{apps:,} applications, {shape}"
    lines = list(lines_of(rows))
    if not lines:
        yield "  nothing was measured"
        return
    heads = "".join(f"{name:>18}" for name in engines)
    yield f"  {'':<48}{heads}{'ratio':>9}  target"
    for line in lines:
        cells = "".join(f"{_cell(line.figure, line.values.get(name)):>18}" for name in engines)
        ratio = "" if line.ratio is None else f"{line.ratio:.1f}x"
        verdict = {None: "", True: "met", False: "MISSED"}[line.met] if line.target else ""
        goal = f"{line.target!s:<9} {verdict}" if line.target else ""
        yield f"  {f'{line.figure.title}, {line.figure.unit}':<48}{cells}{ratio:>9}  {goal}".rstrip()
    yield "  Of several trials the middle one (the worst one); limits are held against the worst."
    yield from _breakdown(rows, engines)
    yield from _disturbances(rows)


def scaling(rows):
    """What one application costs us, for each number of them; flat where cost is linear."""
    ours = [row for row in rows if row["engine"] == OURS]
    shapes = {row["shape"] for row in ours}
    for shape in sorted(shapes):
        loads = sorted((apps, group) for (each, apps), group in loads_of(ours).items() if each == shape)
        if len(loads) < 2:
            continue
        yield f"{OURS}, {shape}: per application"
        for apps, group in loads:
            values = values_of(group)
            per = {key: values[key].middle / apps * 1000 for key in ("first_sync", "first_sync_cpu") if key in values}
            cells = ", ".join(f"{key.replace('_', ' ')} {each:.2f} ms" for key, each in per.items())
            live = f", push live {values['push_live'].middle:.3f} s" if "push_live" in values else ""
            yield f"  {apps:>6,}: {cells}{live}"


def _cell(figure, value):
    if value is None:
        return "-"
    text = f"{value.middle:,.{figure.digits}f}"
    return f"{text} ({value.worst:,.{figure.digits}f})" if value.trials > 1 else text


def _breakdown(rows, engines):
    for name in engines:
        first = (row for row in rows if row["engine"] == name and row["phase"] == "first-sync")
        parts = next(first, {}).get("cpu_s_by_process", {})
        if len(parts) > 1:
            shown = ", ".join(f"{part} {cpu_s:.1f}" for part, cpu_s in parts.items())
            yield f"  {name}, CPU of first sync by process, s: {shown}"


def _disturbances(rows):
    """Where somebody else used the machine, so that people know what their figures are worth."""
    for name in dict.fromkeys(row["engine"] for row in rows):
        measured = [row for row in rows if row["engine"] == name and row.get("took_s", 0) > 1]
        cores = {}
        for row in measured:
            cores[row["phase"]] = max(cores.get(row["phase"], 0), row["others_cpu_s"] / row["took_s"])
        busy = [f"{phase} {each:.1f}" for phase, each in cores.items() if each > _BUSY_CORES]
        if busy:
            yield f"  WARNING: {name}: cores kept busy by others: {', '.join(busy)}"
