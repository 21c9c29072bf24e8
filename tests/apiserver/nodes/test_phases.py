"""The phase of a pod, for every mix of what its containers may do."""

from hypothesis import given
from hypothesis import strategies as st
from tests.apiserver.nodes.objects import container, pod

from plumbline.apiserver.nodes import Timing
from plumbline.apiserver.nodes.pods.phases import phase_of
from plumbline.apiserver.nodes.pods.run import ContainerRun, Ended, PodRun
from plumbline.apiserver.nodes.pods.status import adopted, status_of
from plumbline.apiserver.nodes.pods.view import PodView

ENDS = st.builds(
    Ended,
    st.sampled_from([0, 1, 137]),
    st.just("Error"),
    st.just(1000.0),
    st.just(1001.0),
    st.sampled_from(["containerd://a", "containerd://b"]),
)
RUNS = st.one_of(
    st.just(ContainerRun()),
    st.builds(lambda last: ContainerRun(waiting="CrashLoopBackOff", last=last, id="containerd://x"), ENDS),
    st.builds(lambda up: ContainerRun(started_s=1000.0, up=up, ready=up, id="containerd://x"), st.booleans()),
    st.builds(lambda end: ContainerRun(ended=end, id="containerd://x"), ENDS),
)
PODS = st.sampled_from(["Always", "OnFailure", "Never"])


def made(policy: str) -> PodView:
    initial = [container("i"), container("side", restartPolicy="Always")]
    return PodView(pod("p", restartPolicy=policy, initContainers=initial, containers=[container("a"), container("b")]))


@given(PODS, st.fixed_dictionaries(dict.fromkeys(("i", "side", "a", "b"), RUNS)), st.booleans())
def test_every_mix_has_a_phase(policy, runs, stopped):
    phase = phase_of(made(policy), runs, stopped=stopped)
    assert phase in {"Pending", "Running", "Succeeded", "Failed"}
    if policy == "Always" and not stopped:
        assert phase in {"Pending", "Running"}, "what is always restarted is never over"
    if stopped and phase == "Pending":
        raise AssertionError("nothing that is stopped is still to come")


@given(PODS, st.fixed_dictionaries(dict.fromkeys(("i", "side", "a", "b"), RUNS)))
def test_a_status_tells_all_that_runs(policy, runs):
    """What is written into a status is found in it again: a restart forgets nothing but waits."""
    view = made(policy)
    run = PodRun(runs, mounted=True, ip="10.0.0.1")
    status = status_of(view, run, "192.0.2.10", 2000.0, stopped=False)
    again = adopted(PodView({**view.obj, "status": status}), Timing())
    assert status_of(PodView({**view.obj, "status": status}), again, "192.0.2.10", 3000.0, stopped=False) == status
    for name, before in runs.items():
        after = again.containers[name]
        assert (after.running, after.ended, after.last) == (before.running, before.ended, before.last)
