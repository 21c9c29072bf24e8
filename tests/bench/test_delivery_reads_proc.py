import os
import subprocess
import sys

import pytest

from bench.delivery import processes
from bench.delivery.bound import bound
from bench.delivery.metering import Mark, Meter, spent
from bench.delivery.processes import TICKS_PER_S, Stat, busy_s_of, family, memory_of, stat_of

STAT = "{pid} ({name}) S {parent} 1 1 0 -1 4194304 9 8 7 6 {times} 20 0 1 0 100 1000 50"


@pytest.mark.parametrize(
    ("name", "why"),
    [("redis", "plain"), ("tmux: server", "names have spaces"), ("(sd-pam) x", "and parentheses")],
)
def test_cpu_time_is_read_whatever_a_process_is_called(name, why):
    text = STAT.format(pid=7, name=name, parent=3, times="100 20 3000 400")
    assert stat_of(text) == Stat(7, 3, 3520 / TICKS_PER_S), why


def test_memory_is_read_in_both_ways_of_counting():
    text = "5500-7ffe ---p 00000000 00:00 0    [rollup]\nRss:  20480 kB\nPss:   5120 kB\nPss_Anon:  1 kB\n"
    assert memory_of(text) == (20.0, 5.0)
    assert memory_of("") == (0, 0), "a process that has ended uses none"


def test_a_machine_is_busy_with_everything_but_idling_and_waiting_for_disks():
    text = "cpu  100 20 300 5000 600 7 8 9 50 0\ncpu0 1 2 3\n"
    assert busy_s_of(text) == (100 + 20 + 300 + 7 + 8 + 9) / TICKS_PER_S


def test_a_family_is_everybody_below_its_roots():
    stats = [Stat(1, 0, 0), Stat(2, 1, 0), Stat(3, 2, 0), Stat(4, 1, 0), Stat(5, 4, 0)]
    assert {stat.pid for stat in family([2], stats)} == {2, 3}
    assert {stat.pid for stat in family([1], stats, without={4})} == {1, 2, 3}
    assert family([9], stats) == []


def test_a_process_counted_twice_counts_once():
    stats = [Stat(1, 0, 1.0), Stat(2, 1, 1.0)]
    assert sum(stat.cpu_s for stat in family([1, 2], stats)) == 2.0


def test_what_nobody_we_know_used_was_used_by_others():
    start = Mark(10.0, {"plumb": 1.0}, {"etcd": 1.0, "apiserver": 4.0}, 0.5, 100.0)
    end = Mark(14.0, {"plumb": 2.0}, {"etcd": 1.5, "apiserver": 5.5}, 1.0, 106.0)
    assert spent(start, end) == {
        "cpu_s": 1.0,
        "cpu_s_by_process": {"plumb": 1.0},
        "cluster_cpu_s": 2.0,
        "cluster_cpu_s_by_process": {"etcd": 0.5, "apiserver": 1.5},
        "own_cpu_s": 0.5,
        "others_cpu_s": 2.5,
        "took_s": 4.0,
    }


def test_the_work_of_children_that_have_ended_is_counted():
    burning = "import time; until = time.process_time() + 0.2\nwhile time.process_time() < until: pass"
    parent = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burning!r}]); print(1, flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        meter = Meter({"engine": process.pid}, {})
        assert process.stdout.readline() == "1\n"
        assert meter.mark().engine_s["engine"] >= 0.2
        assert meter.memory()["rss_mb"] >= meter.memory()["pss_mb"] > 1
        assert meter.ended() == []
        process.communicate("\n")
        assert meter.ended() == ["engine"]


def test_processes_are_found_by_the_files_they_leave(tmp_path):
    (tmp_path / "redis.pid").write_text(f"{os.getpid()}\n")
    assert processes.pids_in(tmp_path) == {"redis": os.getpid()}


def test_a_bound_command_runs_as_itself_and_ends_with_its_parent():
    sleeping = bound([sys.executable, "-c", "print(1, flush=True); input()"])
    parent = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen({sleeping!r}, stdout=subprocess.PIPE, stdin=subprocess.PIPE)\n"
        "child.stdout.readline()\nprint(child.pid, flush=True)\ninput()"
    )
    argv = [sys.executable, "-c", parent]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        child = int(process.stdout.readline())
        assert processes.alive(child)
        before = os.pidfd_open(child)
        process.kill()
    try:
        assert _ended(before)
    finally:
        os.close(before)


def _ended(descriptor, within_s=20):
    import select  # noqa: PLC0415 - only here

    return bool(select.select([descriptor], [], [], within_s)[0])
