from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.delivery.sync.world import STARTED, desired, everything, there

from plumbline.delivery.sync import Sync, plan
from plumbline.delivery.sync.options import parsed


def _order(*wanted, live=(), **options):
    sync = Sync(started_at=STARTED, namespace="ns", prune=True, options=parsed(f"{k}={v}" for k, v in options.items()))
    return [
        (task.phase, task.wave, task.ref.kind, task.ref.name) for task in plan(sync, wanted, dict(live), everything)
    ]


def test_phases_come_before_waves_before_kinds_before_names():
    assert _order(
        desired("Job", "after", hook="PostSync", wave="-9"),
        desired("Job", "failed", hook="SyncFail"),
        desired("Deployment", "b", wave="1"),
        desired("Widget", "a"),
        desired("Service", "s"),
        desired("Deployment", "d"),
        desired("Deployment", "c"),
        desired("ConfigMap", "z"),
        desired("Job", "before", hook="PreSync", wave="9"),
    ) == [
        ("PreSync", 9, "Job", "before"),
        ("Sync", 0, "ConfigMap", "z"),
        ("Sync", 0, "Service", "s"),
        ("Sync", 0, "Deployment", "c"),
        ("Sync", 0, "Deployment", "d"),
        ("Sync", 0, "Widget", "a"),
        ("Sync", 1, "Deployment", "b"),
        ("PostSync", -9, "Job", "after"),
        ("SyncFail", 0, "Job", "failed"),
    ]


def test_a_namespace_is_lifted_before_the_first_object_in_it():
    assert _order(
        desired("Namespace", "team", wave="5"),
        desired("ConfigMap", "first", wave="-1", namespace="other"),
        desired("Job", "hook", hook="PreSync", namespace="team"),
        desired("ConfigMap", "c", namespace="team"),
    ) == [
        ("PreSync", 0, "Namespace", "team"),
        ("PreSync", 0, "Job", "hook"),
        ("Sync", -1, "ConfigMap", "first"),
        ("Sync", 0, "ConfigMap", "c"),
    ]


def test_objects_without_a_namespace_need_the_one_of_the_destination():
    assert _order(desired("ClusterRole", "r", wave="-1"), desired("Namespace", "ns")) == [
        ("Sync", -1, "Namespace", "ns"),
        ("Sync", -1, "ClusterRole", "r"),
    ]


def test_a_definition_is_lifted_before_the_first_object_of_its_kind():
    spec = {"group": "example.com", "names": {"kind": "Widget"}}
    assert _order(
        desired("CustomResourceDefinition", "widgets.example.com", spec=spec, wave="2"),
        desired("Widget", "b", wave="1"),
        desired("Widget", "a", hook="PreSync"),
        desired("ConfigMap", "c"),
    ) == [
        ("PreSync", 0, "CustomResourceDefinition", "widgets.example.com"),
        ("PreSync", 0, "Widget", "a"),
        ("Sync", 0, "ConfigMap", "c"),
        ("Sync", 1, "Widget", "b"),
    ]


def test_several_are_lifted_without_getting_in_each_others_way():
    order = _order(
        *(desired("Namespace", f"n{at}", wave="9") for at in range(4)),
        *(desired("ConfigMap", f"c{at}", wave=str(at % 2), namespace=f"n{at}") for at in range(4)),
    )
    assert order == [
        ("Sync", 0, "Namespace", "n0"),
        ("Sync", 0, "ConfigMap", "c0"),
        ("Sync", 0, "Namespace", "n2"),
        ("Sync", 0, "ConfigMap", "c2"),
        ("Sync", 1, "Namespace", "n1"),
        ("Sync", 1, "ConfigMap", "c1"),
        ("Sync", 1, "Namespace", "n3"),
        ("Sync", 1, "ConfigMap", "c3"),
    ]


def _extra(*waves):
    return there(*((desired("ConfigMap", f"x{at}", wave=str(wave)), None) for at, wave in enumerate(waves)))


def test_prunes_go_in_mirrored_waves():
    assert [(wave, name) for _, wave, _, name in _order(live=_extra(-1, 0, 4))] == [(-1, "x2"), (0, "x1"), (4, "x0")]


def test_prune_last_comes_after_every_wave_of_the_sync_phase():
    late = there((desired("ConfigMap", "late", options="PruneLast=true"), None))
    order = _order(
        desired("ConfigMap", "c", wave="3"), desired("Job", "j", hook="PostSync", wave="8"), live=_extra(1) | late
    )
    assert [(phase, wave, name) for phase, wave, _, name in order] == [
        ("Sync", 0, "x0"),
        ("Sync", 3, "c"),
        ("Sync", 4, "late"),
        ("PostSync", 8, "j"),
    ]


def test_prune_last_of_the_application_may_be_declined_by_a_resource():
    early = there((desired("ConfigMap", "early", options="PruneLast=false", wave="-2"), None))
    order = _order(live=early | _extra(-5), PruneLast="true")
    assert [(wave, name) for _, wave, _, name in order] == [(-5, "early"), (1, "x0")]


@given(
    st.lists(
        st.tuples(st.sampled_from(("Namespace", "ConfigMap", "Widget", "Deployment")), st.integers(-3, 3)), max_size=12
    )
)
def test_lifting_leaves_steps_in_one_piece(made):
    wanted = [desired(kind, f"o{at}", wave=str(wave), namespace=f"o{at // 2}") for at, (kind, wave) in enumerate(made)]
    steps = [(phase, wave) for phase, wave, _, _ in _order(*wanted)]
    assert len(steps) == len(wanted)
    changes = sum(before != after for before, after in pairwise(steps))
    assert changes == max(len(set(steps)) - 1, 0)
    assert steps == sorted(steps)
