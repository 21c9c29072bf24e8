"""The pods: one Deployment, of whose replicas one leads and all answer."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.cli.installing.wanted import NAME, SELECTOR, Wanted, labels, metadata
from plumbline.kinds.rooms import EVERY_ROOM, ROOMS

WEB_PORT: Final = 8080
SEALING_PORT: Final = 8081
ADMISSION_PORT: Final = 9443
ADMISSION: Final = f"{NAME}-admission"
"""Service that API servers come through."""
_USER: Final = 65532
_DATA: Final = "/var/lib/plumbline"
_CERTIFICATES: Final = "/etc/plumbline/admission"
_JOURNAL: Final = "/etc/plumbline/journal"
_PLUGINS: Final = "/home/argocd/cmp-server/plugins"
"""Where Argo CD's server of plugins puts its socket unless told otherwise."""
_ADDRESS: Final = "url"
"""The key of the Secret with the journal's address."""


def deployment(wanted: Wanted) -> JsonObject:
    spec: JsonObject = {
        "replicas": wanted.replicas,
        "selector": {"matchLabels": dict(SELECTOR)},
        "template": {"metadata": {"labels": labels(wanted)}, "spec": _pod(wanted)},
    }
    if wanted.claim:
        # Two processes never share the folder, so that the next one has to wait until this one has let go of it.
        spec["strategy"] = {"type": "Recreate"}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata(wanted, NAME), "spec": spec}


def disruptions(wanted: Wanted) -> list[JsonObject]:
    """One replica alone may always be moved: it would keep its node from ever being drained."""
    if wanted.replicas == 1:
        return []
    spec = {"maxUnavailable": 1, "selector": {"matchLabels": dict(SELECTOR)}}
    kind = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget"}
    return [{**kind, "metadata": metadata(wanted, NAME), "spec": spec}]


def arguments(wanted: Wanted) -> list[str]:
    """What `plumb` is told in the pod."""
    said = ["run", f"--namespace={wanted.namespace}", f"--data={_DATA}"]
    said += ["--web-host=0.0.0.0", f"--web-port={WEB_PORT}"]
    if wanted.only != EVERY_ROOM:
        said.append(f"--only={','.join(room for room in ROOMS if room in wanted.only)}")
    if "terraform" in wanted.only:
        said.append(f"--runner-image={wanted.runner_image or wanted.image}")
    if wanted.seals:
        said += [f"--key-namespace={wanted.key_namespace}", f"--sealing-port={SEALING_PORT}"]
    if wanted.admits:
        said += [f"--admission-service={wanted.namespace}/{ADMISSION}", f"--admission-port={ADMISSION_PORT}"]
        said += [f"--admission-certificates={_CERTIFICATES}"] if wanted.certificates else []
    said += [f"--login-command={each}" for each in sorted(wanted.login_commands)]
    said += [f"--login-host={each}" for each in sorted(wanted.login_hosts)]
    said += [f"--plugins={_PLUGINS}"] if wanted.plugins else []
    if wanted.journal:
        said.append(f"--journal={_JOURNAL}/{_ADDRESS}")
    return said + (["--enforce"] if wanted.mode == "enforce" else [])


def _pod(wanted: Wanted) -> JsonObject:
    volumes = [mounted for mounted, _ in _volumes(wanted)]
    spec: JsonObject = {
        "serviceAccountName": NAME,
        "automountServiceAccountToken": True,
        "enableServiceLinks": False,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "runAsGroup": _USER,
            "fsGroup": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_container(wanted)],
        "volumes": volumes,
    }
    if wanted.priority_class:
        spec["priorityClassName"] = wanted.priority_class
    if wanted.replicas > 1:
        spec["topologySpreadConstraints"] = [
            _spread("kubernetes.io/hostname"),
            _spread("topology.kubernetes.io/zone"),
        ]
    return spec


def _spread(over: str) -> JsonObject:
    """As far as it can be: a replica on the same machine is better than none."""
    return {
        "maxSkew": 1,
        "topologyKey": over,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": dict(SELECTOR)},
    }


def _container(wanted: Wanted) -> JsonObject:
    ports = [("web", WEB_PORT, True), ("sealing", SEALING_PORT, wanted.seals), ("admission", ADMISSION_PORT, wanted.admits)]  # fmt: skip
    return {
        "name": NAME,
        "image": wanted.image,
        "command": ["plumb"],
        "args": arguments(wanted),
        "env": [{"name": "HOME", "value": _DATA}, {"name": "TMPDIR", "value": "/tmp"}],  # noqa: S108 - the pod's own
        "ports": [{"name": name, "containerPort": port, "protocol": "TCP"} for name, port, open_ in ports if open_],
        # Before the port is open the cluster is asked for its kinds, which may take a while; a probe is no reason to die then.
        "startupProbe": _probe("/healthz", periodSeconds=2, failureThreshold=60),
        "livenessProbe": _probe("/healthz", periodSeconds=10, failureThreshold=6),
        "readinessProbe": _probe("/healthz?full=true", periodSeconds=10, failureThreshold=3),
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [mount for _, mount in _volumes(wanted)],
    }


def _probe(path: str, **pace: int) -> JsonObject:
    return {"httpGet": {"path": path, "port": "web"}, "timeoutSeconds": 6, **pace}


def _volumes(wanted: Wanted) -> list[tuple[JsonObject, JsonObject]]:
    """Volumes, each with where it is in the container."""
    kept = {"persistentVolumeClaim": {"claimName": wanted.claim}} if wanted.claim else {"emptyDir": {}}
    found = [
        ({"name": "kept", **kept}, {"name": "kept", "mountPath": _DATA}),
        ({"name": "tmp", "emptyDir": {}}, {"name": "tmp", "mountPath": "/tmp"}),  # noqa: S108 - the pod's own
    ]
    if wanted.plugins:
        found.append(({"name": "plugins", "emptyDir": {}}, {"name": "plugins", "mountPath": _PLUGINS}))
    secrets = (("journal", wanted.journal, _JOURNAL), ("admission", wanted.admits and wanted.certificates, _CERTIFICATES))  # fmt: skip
    return found + [
        ({"name": name, "secret": {"secretName": secret}}, {"name": name, "mountPath": path, "readOnly": True})
        for name, secret, path in secrets
        if secret
    ]
