"""Classes of priority."""

from collections.abc import Mapping

from tests.apiserver.admission.gates.samples import SETTLED
from tests.apiserver.scripts.steps import Script, Step
from tests.apiserver.strategies.turns.samples import CORE, changed, made, made_pod, patched

CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"

SCRIPTS: Mapping[str, Script] = {
    "classes": [
        made(CLASSES, {"metadata": {"name": "{ns}"}, "value": 7, "preemptionPolicy": "Never"}),
        *SETTLED,
        made_pod("named", priorityClassName="{ns}"),
        made_pod("missing", priorityClassName="none-such"),
        made_pod("number", priority=3),
        made_pod("both", priority=7, priorityClassName="{ns}"),
        made_pod("other", priority=8, priorityClassName="{ns}"),
        made_pod("policy", priorityClassName="{ns}", preemptionPolicy="PreemptLowerPriority"),
        made_pod("system", priorityClassName="system-node-critical"),
        changed(
            f"{CORE}/pods/named",
            lambda obj: {
                **obj,
                "spec": {k: v for k, v in obj["spec"].items() if k not in {"priority", "preemptionPolicy"}},
            },
        ),
        Step("DELETE", f"{CLASSES}/{{ns}}"),
    ],
    "the one for all": [
        made(CLASSES, {"metadata": {"name": "{ns}"}, "value": 9, "globalDefault": True}),
        *SETTLED,
        made_pod("unnamed"),
        made(CLASSES, {"metadata": {"name": "{ns}-too"}, "value": 9, "globalDefault": True}),
        made(CLASSES, {"metadata": {"name": "{ns}-not"}, "value": 9}),
        patched(f"{CLASSES}/{{ns}}-not", {"globalDefault": True}),
        patched(f"{CLASSES}/{{ns}}", {"description": "still"}),
        Step("DELETE", f"{CLASSES}/{{ns}}"),
        Step("DELETE", f"{CLASSES}/{{ns}}-not"),
    ],
}
