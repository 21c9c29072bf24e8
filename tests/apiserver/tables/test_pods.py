import pytest

from plumbline.apiserver.tables import cells
from plumbline.apiserver.tables.builtin import builtin_printer
from plumbline.base.json import encode

from .objects import NOW, ago, kind, made

POD = kind("v1", "Pod")


def running(**more):
    return {"state": {"running": {}}, "ready": True, **more}


def waiting(reason="", **more):
    return {"state": {"waiting": {"reason": reason} if reason else {}}, **more}


def ended(code=0, reason="", signal=0, **more):
    return {"state": {"terminated": {"exitCode": code, "reason": reason, "signal": signal}}, **more}


def again(count, **duration):
    return {"restartCount": count, "lastState": {"terminated": {"finishedAt": ago(**duration)}} if duration else {}}


DONE = ended(0, "Completed")


def pod(*containers, init=(), sidecars=(), conditions=None, metadata=None, spec=None, phase="Running", **status):
    return made(
        "p",
        metadata=metadata or {},
        spec={
            "containers": [{"name": f"c{n}"} for n in range(max(1, len(containers)))],
            "initContainers": [
                {"name": f"i{n}", **({"restartPolicy": "Always"} if n in sidecars else {})} for n in range(len(init))
            ],
            **(spec or {}),
        },
        status={
            "phase": phase,
            "containerStatuses": [{"name": f"c{n}", **told} for n, told in enumerate(containers)],
            "initContainerStatuses": [{"name": f"i{n}", **told} for n, told in enumerate(init)],
            "conditions": [{"type": name, "status": value} for name, value in (conditions or {}).items()],
            **status,
        },
    )


READY = {"Ready": "True"}
GONE = {"deletionTimestamp": ago(minutes=1)}
GATED = [{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]
CASES = [
    (pod(running()), "1/1", "Running", "0", "the usual"),
    (pod(phase="Pending"), "0/1", "Pending", "0", "nothing has happened yet"),
    (pod(phase="Failed", reason="Evicted"), "0/1", "Evicted", "0", "a reason says more than a phase"),
    (pod(DONE, phase="Succeeded"), "0/1", "Completed", "0", "done"),
    (pod(running(), waiting("ContainerCreating")), "1/2", "ContainerCreating", "0", "one of two"),
    (pod(waiting("A"), waiting("B")), "0/2", "A", "0", "the first container has the last word"),
    (pod(waiting()), "0/1", "Running", "0", "to wait without a reason says nothing"),
    (pod(running(ready=False)), "0/1", "Running", "0", "running is not being ready"),
    (pod(ended(3)), "0/1", "ExitCode:3", "0", "an exit code without a reason"),
    (pod(ended(137, signal=9)), "0/1", "Signal:9", "0", "a signal without a reason"),
    (pod(ended(1, "OOMKilled")), "0/1", "OOMKilled", "0", "a reason"),
    (pod(DONE, running(), conditions=READY), "1/2", "Running", "0", "one is done, the pod is not"),
    (pod(DONE, running()), "1/2", "NotReady", "0", "the same, and it is not ready"),
    (pod(DONE, ended(2, "Error")), "0/2", "Error", "0", "one is done, another has failed"),
    (pod(DONE, DONE), "0/2", "Completed", "0", "all are done"),
    (pod(waiting("CrashLoopBackOff", **again(3, minutes=5))), "0/1", "CrashLoopBackOff", "3 (5m ago)", "crashing"),
    (pod(running(**again(2))), "1/1", "Running", "2", "restarted, nobody knows when"),
    (pod(running(**again(0, hours=1))), "1/1", "Running", "0", "ended once, restarted never"),
    (pod(running(**again(2, days=3)), running(**again(1, hours=9))), "2/2", "Running", "3 (9h ago)", "the last counts"),
    (pod(init=[running(), waiting()]), "0/1", "Init:0/2", "0", "the first is at work"),
    (pod(init=[DONE, waiting("PodInitializing")]), "0/1", "Init:1/2", "0", "the second is"),
    (pod(init=[ended(1, "Error")]), "0/1", "Init:Error", "0", "one failed"),
    (pod(init=[ended(1)]), "0/1", "Init:ExitCode:1", "0", "without a reason"),
    (pod(init=[ended(9, signal=9)]), "0/1", "Init:Signal:9", "0", "by a signal"),
    (pod(init=[waiting("ErrImagePull")]), "0/1", "Init:ErrImagePull", "0", "one waits for a reason"),
    (pod(init=[waiting("X", **again(4, minutes=2))]), "0/1", "Init:X", "4 (2m ago)", "restarts of those at work count"),
    (
        pod(running(**again(1, days=9)), init=[{**DONE, **again(4, minutes=2)}]),
        "1/1",
        "Running",
        "1 (9d ago)",
        "not later",
    ),
    (pod(running(), init=[running(started=True)], sidecars=[0]), "2/2", "Running", "0", "a sidecar counts"),
    (pod(running(), init=[running(started=True, ready=False)], sidecars=[0]), "1/2", "Running", "0", "if it is ready"),
    (pod(init=[running(started=False)], sidecars=[0]), "0/2", "Init:0/1", "0", "a sidecar that has to start"),
    (
        pod(running(**again(1, days=3)), init=[running(started=True, **again(7, hours=9))], sidecars=[0]),
        "2/2",
        "Running",
        "8 (9h ago)",
        "restarts of sidecars go on counting",
    ),
    (
        pod(
            running(**again(1, hours=9)), init=[waiting("X", **again(8, minutes=3))], conditions={"Initialized": "True"}
        ),
        "1/1",
        "Init:X",
        "1 (9h ago)",
        "initialised once, an init container started again",
    ),
    (pod(phase="Pending", conditions={}), "0/1", "Pending", "0", "no conditions"),
    (made("p", status={"phase": "Pending", "conditions": GATED}), "0/0", "SchedulingGated", "0", "held back"),
    (pod(running(), metadata=GONE), "1/1", "Terminating", "0", "on its way out"),
    (pod(running(), metadata=GONE, reason="NodeLost"), "1/1", "Unknown", "0", "on a node that is gone"),
    (pod(running(), reason="NodeLost"), "1/1", "NodeLost", "0", "there, on a node that is gone"),
    (pod(DONE, metadata=GONE, phase="Succeeded"), "0/1", "Completed", "0", "done before it was deleted"),
]


@pytest.mark.parametrize(("obj", "ready", "status", "restarts", "why"), CASES, ids=[row[4] for row in CASES])
def test_one_word_says_what_a_pod_is_doing(obj, ready, status, restarts, why):
    assert cells(POD, obj, NOW)[:5] == ["p", ready, status, restarts, "5d"]


@pytest.mark.parametrize("obj", [row[0] for row in CASES], ids=[row[4] for row in CASES])
def test_reading_only_what_is_shown_shows_the_same(obj):
    printer = builtin_printer(POD)
    assert printer.row(printer.read(encode(obj)), NOW.timestamp()) == printer.row(obj, NOW.timestamp())


WIDE = [
    (pod(), ["<none>"] * 4, "nothing is known"),
    (pod(podIPs=[{"ip": "fd00::1"}, {"ip": "10.0.0.1"}], podIP="x"), ["fd00::1", *["<none>"] * 3], "the first address"),
    (pod(podIP="10.0.0.1"), ["10.0.0.1", *["<none>"] * 3], "the only address"),
    (pod(spec={"nodeName": "n"}, nominatedNodeName="m"), ["<none>", "n", "m", "<none>"], "nodes"),
    (
        pod(
            conditions={"a/b": "True", "c/d": "False"},
            spec={"readinessGates": [{"conditionType": each} for each in ("a/b", "c/d", "e/f")]},
        ),
        ["<none>", "<none>", "<none>", "1/3"],
        "gates that are open",
    ),
]


@pytest.mark.parametrize(("obj", "shown", "why"), WIDE, ids=[row[2] for row in WIDE])
def test_wide_columns_say_where_it_is(obj, shown, why):
    assert cells(POD, obj, NOW)[5:] == shown


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_rows_of_pods_that_are_over_say_so(phase):
    _, conditions = builtin_printer(POD).row(pod(phase=phase), NOW.timestamp())
    assert [(each["type"], each["status"], each["reason"]) for each in conditions] == [("Completed", "True", phase)]


def test_rows_of_other_pods_have_nothing_special():
    assert builtin_printer(POD).row(pod(), NOW.timestamp())[1] == []
