"""Pod Security Standards."""

from collections.abc import Mapping

from tests.apiserver.admission.gates.samples import SETTLED
from tests.apiserver.scripts.steps import Script, Step
from tests.apiserver.strategies.turns.samples import (
    APPS,
    BATCH,
    CORE,
    container,
    job,
    made,
    made_pod,
    patched,
    pod,
    template,
    workload,
)

from plumbline.base.json import JsonObject

BASELINE = {"pod-security.kubernetes.io/enforce": "baseline"}
RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}
FINE = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
OFFENCES: Mapping[str, JsonObject] = {
    "apparmor": pod(securityContext={"appArmorProfile": {"type": "Unconfined"}}),
    "apparmor-note": pod(metadata={"annotations": {"container.apparmor.security.beta.kubernetes.io/c": "unconfined"}}),
    "capabilities": pod(
        containers=[
            container(securityContext={"capabilities": {"add": ["SYS_ADMIN", "NET_RAW", "CHOWN"]}}),
            container("d", securityContext={"capabilities": {"add": ["X"]}}),
        ]
    ),
    "host": pod(hostNetwork=True, hostPID=True, hostIPC=True),
    "host-path": pod(
        volumes=[{"name": "v", "hostPath": {"path": "/"}}, {"name": "w", "nfs": {"server": "s", "path": "/p"}}]
    ),
    "host-ports": pod(
        containers=[
            container(ports=[{"containerPort": 80, "hostPort": 80}, {"containerPort": 81, "hostPort": 9}]),
            container("d", ports=[{"containerPort": 82, "hostPort": 82}]),
        ]
    ),
    "probes": pod(
        containers=[
            container(
                livenessProbe={"httpGet": {"port": 80, "host": "1.2.3.4"}},
                lifecycle={"preStop": {"httpGet": {"port": 80, "host": "h"}}},
            )
        ]
    ),
    "privileged": pod(containers=[container(securityContext={"privileged": True})]),
    "proc": pod(containers=[container(securityContext={"procMount": "Unmasked"})], hostUsers=False),
    "selinux": pod(
        securityContext={"seLinuxOptions": {"type": "x", "user": "u"}},
        containers=[container(securityContext={"seLinuxOptions": {"type": "y", "role": "r"}})],
    ),
    "seccomp": pod(
        securityContext={"seccompProfile": {"type": "Unconfined"}},
        containers=[container(securityContext={"seccompProfile": {"type": "Unconfined"}})],
    ),
    "sysctls": pod(
        securityContext={
            "sysctls": [{"name": "kernel.msgmax", "value": "1"}, {"name": "net.ipv4.tcp_rmem", "value": "1"}]
        }
    ),
    "windows": pod(os={"name": "windows"}, hostNetwork=True, securityContext={"windowsOptions": {"hostProcess": True}}),
    "root": pod(
        securityContext={"runAsNonRoot": False, "runAsUser": 0},
        containers=[container(securityContext={"runAsNonRoot": False, "runAsUser": 0})],
    ),
    "nothing-said": pod(),
    "fine": pod(containers=[container(securityContext=FINE)]),
    "half": pod(
        securityContext={"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        containers=[
            container(securityContext={"capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE", "CHOWN"]}}),
            container("d", securityContext=FINE),
        ],
    ),
    "confined": pod(
        hostUsers=False, containers=[container(securityContext={**FINE, "runAsUser": 0, "runAsNonRoot": None})]
    ),
}


def labelled(labels: JsonObject) -> Step:
    return patched("/api/v1/namespaces/{ns}", {"metadata": {"labels": labels}})


def offending(**labels: str) -> Script:
    said = {f"pod-security.kubernetes.io/{mode.replace('_', '-')}": value for mode, value in labels.items()}
    tried = [
        made(f"{CORE}/pods", {**each, "metadata": {**each["metadata"], "name": name}})
        for name, each in OFFENCES.items()
    ]
    return [labelled(said), *SETTLED, *tried]


ACCOUNT = made(f"{CORE}/serviceaccounts", {"metadata": {"name": "default"}})

_SCRIPTS: Mapping[str, Script] = {
    "baseline": offending(enforce="baseline"),
    "restricted": offending(enforce="restricted"),
    "baseline of old": offending(enforce="baseline", enforce_version="v1.18"),
    "restricted of old": offending(enforce="restricted", enforce_version="v1.21"),
    "warned": offending(warn="restricted", enforce="privileged"),
    "warned of less": offending(enforce="baseline", warn="restricted", warn_version="v1.24"),
    "of the future": offending(enforce="restricted", enforce_version="v1.99"),
    "labels that say nothing": [
        labelled({"pod-security.kubernetes.io/enforce": "bogus", "pod-security.kubernetes.io/warn-version": "1.2"}),
        made(
            "/api/v1/namespaces", {"metadata": {"name": "{ns}-b", "labels": {"pod-security.kubernetes.io/audit": "x"}}}
        ),
    ],
    "what makes pods": [
        labelled(RESTRICTED),
        *SETTLED,
        made(f"{APPS}/deployments", workload()),
        made(f"{APPS}/daemonsets", workload(template=template(hostNetwork=True))),
        made(f"{BATCH}/jobs", job()),
        made(
            f"{BATCH}/cronjobs",
            {"metadata": {"name": "c"}, "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job()["spec"]}}},
        ),
        made(f"{CORE}/podtemplates", {"metadata": {"name": "t"}, "template": template()}),
        patched(f"{APPS}/deployments/w", {"spec": {"replicas": 2}}),
        patched(f"{APPS}/deployments/w/status", {"status": {"replicas": 2}}),
    ],
    "pods that are there already": [
        made_pod("a"),
        made_pod("b"),
        made_pod("c", hostNetwork=True),
        *SETTLED,
        labelled(RESTRICTED),
        *SETTLED,
        patched(f"{CORE}/pods/a", {"metadata": {"labels": {"x": "y"}}}),
        patched(f"{CORE}/pods/a", {"spec": {"containers": [container(image="j")]}}),
        patched(f"{CORE}/pods/a/ephemeralcontainers", {"spec": {"ephemeralContainers": [container("e")]}}),
        patched(f"{CORE}/pods/a/status", {"status": {"phase": "Running"}}),
        labelled(BASELINE),
        labelled({"pod-security.kubernetes.io/enforce-version": "v1.20"}),
    ],
}
SCRIPTS: Mapping[str, Script] = {name: [ACCOUNT, *script] for name, script in _SCRIPTS.items()}
