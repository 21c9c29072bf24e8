"""Statuses that a real kubelet 1.36.3 wrote for the same pods, with a container runtime that only pretended.

`recorded.json` holds them as they were, but for ids, addresses, images and times. A container named `exit-<code>:<s>`
ended with that code after so many seconds, and `nopull` could not be pulled. What the kubelet writes on the way there
(a first status before anything was tried, one for the generation of a deletion) is left out: it is not written here.
"""

import asyncio
import re
from pathlib import Path

from tests.apiserver.nodes.objects import config_map, pod
from tests.apiserver.nodes.stage import on_stage

from plumbline.apiserver.nodes import Rule, Scenario
from plumbline.base.json import decode, encode_sorted

RECORDED = decode((Path(__file__).parent / "recorded.json").read_bytes())
ENDS = [(code, seconds) for code in (0, 1, 3) for seconds in (1, 2)]
RULES = [
    Rule(image=f"exit-{code}:{seconds}", says={"behavior": f"exit-{code}", "run-for": f"{seconds}s"})
    for code, seconds in ENDS
]
HIDDEN = ("startTime", "hostIP", "hostIPs", "podIP", "podIPs", "qosClass")
UID = re.compile(r"\([0-9a-f-]{36}\)")
PULL = re.compile(r"rpc error: code = NotFound desc = .*: not found")
"""What a registry answers is not the kubelet's to say."""


def shown(status):
    """*status* without what differs from run to run, as bytes that can be compared."""
    shown = {field: "…" if field in HIDDEN else value for field, value in status.items()}
    times = ("lastTransitionTime", "lastProbeTime")
    shown["conditions"] = [
        {field: value for field, value in each.items() if field not in times} for each in status.get("conditions", ())
    ]
    for field in ("containerStatuses", "initContainerStatuses"):
        if field in status:
            shown[field] = [_container(each) for each in status[field]]
    return encode_sorted(shown)


def _container(status):
    shown = {field: value for field, value in status.items() if field != "user"}
    if shown.get("imageID"):
        shown |= {"image": "…", "imageID": "…"}
    if "containerID" in shown:
        shown["containerID"] = "…"
    return {**shown, "state": _state(status["state"]), "lastState": _state(status["lastState"])}


def _state(state):
    hidden = ("startedAt", "finishedAt", "containerID")
    return {
        name: {field: _words(value, hidden=field in hidden) for field, value in inner.items()}
        for name, inner in state.items()
    }


def _words(value, *, hidden):
    if hidden:
        return None if value is None else "…"
    return PULL.sub("…", UID.sub("(uid)", value)) if isinstance(value, str) else value


@on_stage(scenario=Scenario(rules=RULES, unpullable=("nopull*",)))
async def test_statuses_are_those_of_a_real_kubelet(stage):
    written = {}

    def observe(change):
        if change.entry.key.collection == stage.cluster.key(stage.kind("Pod"), "", "").collection:
            written.setdefault(change.entry.key.name, set()).add(shown(change.entry.object()["status"]))

    stage.store.listen(observe)
    await stage.apply(config_map("unrelated"))
    for name, recorded in RECORDED.items():
        await stage.apply(pod(name, nodeName="plumbline", automountServiceAccountToken=False, **recorded["spec"]))
    await asyncio.sleep(45)
    for name in ("plain", "novol", "crash", "inits"):
        await stage.cluster.delete(stage.pod(name), grace_s=2)
    await asyncio.sleep(5)
    wanted = {(name, shown(status)) for name, recorded in RECORDED.items() for status in recorded["statuses"]}
    missing = [(name, status) for name, status in wanted if status not in written[name]]
    assert not missing
    assert len(wanted) >= 35
