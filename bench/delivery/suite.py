"""Which engines run under which loads, one after the other, and what is said about them."""

import argparse
import contextlib
import os
import signal
import tempfile
from pathlib import Path

import uvloop

from bench.delivery.engines import FLOOR, Argo, Cluster, Floor, NotStarted, Plumbline
from bench.delivery.measuring import Stage, Stopped, measure, namespaces_made
from bench.delivery.metering import Meter, busy_cores
from bench.delivery.report import loads_of, scaling, table
from bench.delivery.repository import SHAPES, Repository
from plumbline.base.json import decode, encode

_QUIET_CORES = 0.15
_SETTINGS = ("default", "tuned")


def run(arguments=()):
    options = parsed(arguments)
    if options.report:
        show([decode(line) for line in options.report.read_bytes().splitlines() if line])
        return
    signal.signal(signal.SIGTERM, _ended)
    rows = []
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(options.json.open("ab", buffering=0)) if options.json else None
        for apps in options.apps:
            for shape in options.shape:
                for make in engines(options.against):
                    rows += ran(make, Load(shape, apps, options), file)
    show(rows)


def parsed(arguments):
    parser = argparse.ArgumentParser(prog="python -m bench delivery", description=__doc__)
    add = parser.add_argument
    add("--apps", type=listed(int), default=[200], help="how many applications; several with commas (%(default)s)")
    add(
        "--shape",
        type=listed(str, (*SHAPES, "mixed")),
        default=["plain", "mixed"],
        help="plain, kustomize, helm, mixed",
    )
    add(
        "--against",
        type=listed(str, (*_SETTINGS, FLOOR, "none")),
        default=list(_SETTINGS),
        help="Argo CD: default, tuned; floor: the writes alone; none",
    )
    add("--quiet-s", type=float, default=60, help="how long nothing happens in the last phase (%(default)s)")
    add("--create", choices=["kubectl", "api"], default="kubectl", help="how Applications are made (%(default)s)")
    add("--json", type=Path, help="a file that every figure is appended to, one JSON object per line")
    add("--work", type=Path, help="a folder for everything, which stays; without it, a temporary one")
    add("--report", type=Path, help="print the tables of such a file, and measure nothing")
    return parser.parse_args(arguments)


def listed(kind, choices=()):
    def parse(text):
        values = [kind(each) for each in text.split(",")]
        if choices and not set(values) <= set(choices):
            raise argparse.ArgumentTypeError(f"{text}: choose from {', '.join(choices)}")
        return values

    return parse


def engines(against):
    """Ours before, between and after the others: it takes seconds where they take minutes, and a guest's speed changes with the minute."""
    yield Plumbline
    for settings in against:
        if settings != "none":
            yield Floor if settings == FLOOR else lambda folder, settings=settings: Argo(folder, settings)
            yield Plumbline


class Load:
    """A number of applications of a shape, and how they are measured."""

    def __init__(self, shape, apps, options):
        self.shape, self.apps = shape, apps
        self.quiet_s, self.create, self.work = options.quiet_s, options.create, options.work

    def folder(self, engine):
        if self.work is None:
            return tempfile.TemporaryDirectory(prefix="plumbline-bench-")
        self.work.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(prefix=f"{engine.replace(' ', '-')}-{self.shape}-{self.apps}-", dir=self.work)
        return contextlib.nullcontext(folder)


def ran(make, load, file):
    """One engine under one load: its rows."""
    rows = []
    name = make(Path()).name
    start = {"engine": name, "shape": load.shape, "apps": load.apps}

    def emit(phase, **figures):
        row = start | {"phase": phase} | figures
        rows.append(row)
        if file:
            file.write(encode(row) + b"\n")
        print(f"  {name:<16} {_shown(phase, figures)}", flush=True)

    print(f"\n{name}: {load.apps:,} applications, {load.shape}", flush=True)
    busy = busy_cores()
    load_1m = os.getloadavg()[0]
    emit("machine", cores=os.cpu_count(), load_1m=round(load_1m, 2), busy_cores=round(busy, 2))
    if busy > _QUIET_CORES:
        print(
            f"  WARNING: {busy:.1f} cores are busy with something else (load {load_1m:.1f}): figures are worth little"
        )
    with load.folder(name) as folder:
        performed(make(Path(folder) / "engine"), load, Path(folder), emit)
    return rows


def performed(engine, load, folder, emit):
    try:
        with Repository(folder / "git", load.shape, load.apps) as repository, Cluster(folder / "cluster") as cluster:
            uvloop.run(namespaces_made(cluster))
            try:
                engine.start(cluster)
                meter = Meter(engine.pids(), cluster.pids())
                stage = Stage(engine, cluster, repository, meter, load.shape, load.apps, load.quiet_s, load.create)
                uvloop.run(measure(stage, emit))
            finally:
                engine.stop()
    except* (Stopped, NotStarted) as failed:
        for each in failed.exceptions:
            print(f"  {engine.name}: {each}\n{engine.said()}", flush=True)


def show(rows):
    for group in loads_of(rows).values():
        print()
        for line in table(group):
            print(line)
    print()
    for line in scaling(rows):
        print(line)


def _ended(*_):
    """What was started is ended on the way out."""
    raise SystemExit("told to end")


def _shown(phase, figures):
    return f"{phase:<19}" + "  ".join(f"{key}={value}" for key, value in figures.items() if not isinstance(value, dict))
