import argparse

import pytest

from bench.delivery.report import TARGETS, Target, lines_of, loads_of, scaling, table, values_of
from bench.delivery.suite import listed, parsed


def row(engine, phase, apps=200, shape="plain", **figures):
    return {"engine": engine, "phase": phase, "apps": apps, "shape": shape, **figures}


def run_of(engine, factor, apps=200, shape="plain"):
    pushes = [
        row(engine, "push-one", apps, shape, live_s=live_s * factor, all_at_revision_s=0.5 * factor, cpu_s=0.1 * factor)
        for live_s in (0.3, 0.2, 0.4)
    ]
    parts = {"controller": 2.0, "redis": 1.0} if factor > 1 else {"plumb": 1.0}
    return [
        row(engine, "machine", apps, shape, busy_cores=0.0),
        row(
            engine,
            "first-sync",
            apps,
            shape,
            all_synced_s=4.0 * factor,
            create_s=1.0,
            cpu_s=2.0 * factor,
            cpu_s_by_process=parts,
            rss_mb=100 * factor,
            pss_mb=90 * factor,
        ),
        *pushes,
        row(engine, "drift-heal", apps, shape, healed_s=0.05 * factor, cpu_s=0),
        row(engine, "quiet", apps, shape, cpu_s=0.2 * factor, rss_mb=100 * factor, pss_mb=90 * factor),
    ]


def by_key(rows):
    return {line.figure.key: line for line in lines_of(rows)}


def test_of_several_trials_the_middle_one_counts_and_the_worst_is_kept():
    value = values_of(run_of("plumbline", 1))["push_live"]
    assert (value.middle, value.worst, value.trials) == (0.3, 0.4, 3)


def test_ratios_are_to_the_better_of_the_others():
    lines = by_key([*run_of("plumbline", 1), *run_of("argocd default", 40), *run_of("argocd tuned", 20)])
    assert lines["first_sync"].ratio == pytest.approx(20)
    assert lines["first_sync"].met is True
    assert lines["first_sync_cpu"].ratio == pytest.approx(20)
    assert lines["first_sync_cpu"].met is False
    assert lines["create"].ratio is None, "that is kubectl's time"


def test_nobody_to_compare_with_leaves_ratios_open():
    lines = by_key(run_of("plumbline", 1))
    assert lines["first_sync"].ratio is None
    assert lines["first_sync"].met is None


def test_less_than_can_be_measured_makes_no_ratio():
    rows = [row("plumbline", "quiet", cpu_s=0.0), row("argocd default", "quiet", cpu_s=0.5)]
    assert by_key(rows)["quiet_cpu"].ratio == pytest.approx(50)


def test_limits_are_held_against_the_worst_trial():
    rows = run_of("plumbline", 2, apps=1000)
    assert by_key(rows)["push_live"].met is False, "0.8 s in one of three"
    assert by_key(run_of("plumbline", 1, apps=1000))["push_live"].met is True
    assert TARGETS["plain", 5000]["memory"] == Target(limit=500)


def test_a_phase_that_was_not_done_has_no_figures():
    rows = [*run_of("argocd default", 20), row("plumbline", "first-sync", done=False, cpu_s=1.0, reached=3)]
    assert by_key(rows)["first_sync"].values.keys() == {"argocd default"}
    assert by_key(rows)["first_sync_cpu"].met is None


def test_loads_without_targets_have_ratios_only():
    rows = [*run_of("plumbline", 1, shape="mixed"), *run_of("argocd default", 20, shape="mixed")]
    assert {line.target for line in lines_of(rows)} == {None}


def test_a_table_says_what_is_met_what_is_not_and_what_disturbed_it():
    rows = [*run_of("plumbline", 1), *run_of("argocd default", 20)]
    rows.append(row("plumbline", "quiet", cpu_s=0.2, others_cpu_s=30.0, took_s=60.0))
    text = "\n".join(table(rows))
    assert "200 applications, plain" in text
    assert ">= 18x    met" in text
    assert ">= 30x    MISSED" in text
    assert "0.300 (0.400)" in text
    assert "argocd default, CPU of first sync by process, s: controller 2.0, redis 1.0" in text
    assert "WARNING: plumbline: cores kept busy by others: quiet 0.5" in text


def test_an_engine_that_did_not_start_has_no_table():
    assert list(table([row("plumbline", "machine")])) == ["200 applications, plain", "  nothing was measured"]


def test_tables_are_per_load():
    rows = [*run_of("plumbline", 1), *run_of("plumbline", 1, shape="mixed"), *run_of("plumbline", 1, apps=1000)]
    assert set(loads_of(rows)) == {("plain", 200), ("mixed", 200), ("plain", 1000)}


def test_cost_per_application_is_shown_where_there_are_several_sizes():
    rows = [*run_of("plumbline", 1), *run_of("plumbline", 5, apps=1000), *run_of("argocd default", 9)]
    assert list(scaling(rows)) == [
        "plumbline, plain: per application",
        "     200: first sync 20.00 ms, first sync cpu 10.00 ms, push live 0.300 s",
        "   1,000: first sync 20.00 ms, first sync cpu 10.00 ms, push live 1.500 s",
    ]
    assert list(scaling(run_of("plumbline", 1))) == []


def test_options_are_lists_and_default_to_the_whole_comparison():
    options = parsed([])
    assert (options.apps, options.shape, options.against) == ([200], ["plain", "mixed"], ["default", "tuned"])
    assert parsed(["--apps", "1000,5000", "--against", "none"]).apps == [1000, 5000]
    with pytest.raises(argparse.ArgumentTypeError, match="choose from"):
        listed(str, ("plain",))("round")
