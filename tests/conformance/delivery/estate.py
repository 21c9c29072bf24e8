"""Fifty applications of mixed kinds, and two commits that each drop and change fields of theirs. Data."""

from collections.abc import Iterator

from plumbline.base.json import JsonObject, encode

from .scene import application, manifests

TEAMS = 5
SHAPES = ("config", "web", "store", "rbac", "custom", "batch", "quota", "kust", "chart", "several")


def estate(repository: str, count: int = TEAMS) -> Iterator[JsonObject]:
    """The Applications: each shape in *count* namespaces, every second of them applied on the server's side."""
    for team in range(count):
        options = ["ServerSideApply=true"] if team % 2 else []
        for shape in SHAPES:
            name, extra = f"{shape}-{team}", {}
            if shape == "several":
                paths = (f"{name}/one", f"{name}/two")
                extra["sources"] = [{"repoURL": repository, "path": path, "targetRevision": "main"} for path in paths]
            yield application(name, repository, options=options, namespace=f"team-{team}", **extra)


def tree(version: int, count: int = TEAMS) -> dict[str, str]:
    """What is in Git at commit 1, 2 or 3. What a later one does not have was dropped."""
    files: dict[str, str] = {}
    for team in range(count):
        for shape in SHAPES:
            files |= {f"{shape}-{team}/{path}": text for path, text in _folder(shape, team, version).items()}
    return files


def _folder(shape: str, team: int, version: int) -> dict[str, str]:
    if shape == "kust":
        return _kustomize(version)
    if shape == "chart":
        return _chart(version)
    if shape == "several":
        parts = {"one": [_config_map("one", version)], "two": [_service("two", version)]}
        return {f"{part}/all.yaml": manifests(objects) for part, objects in parts.items()}
    objects = {
        "config": lambda: [_config_map("settings", version), _secret(version), _account(version), *_bare(version), *_new(version)],
        "web": lambda: [_service("web", version), _deployment("web", version), _scaler(version), _budget(version), _ingress(version)],
        "store": lambda: [_stateful_set(version), _service("store", version, clusterIP="None"), _daemon_set(version)],
        "rbac": lambda: _rbac(team, version),
        "custom": lambda: _custom(team, version),
        "batch": lambda: [_cron_job(version)],
        "quota": lambda: _quota(team, version),
    }[shape]()  # fmt: skip
    return {"all.yaml": manifests(objects)}


def _until(version: int, last: int, **fields) -> JsonObject:
    """Fields that later commits than *last* do not have."""
    return fields if version <= last else {}


def _metadata(name: str, version: int, **more) -> JsonObject:
    labels = {
        "app": name,
        "release": f"v{version}",
        **_until(version, 1, first="yes"),
        **_until(version, 2, second="yes"),
    }
    notes = {"note": f"v{version}", **_until(version, 1, once="yes"), **_until(version, 2, twice="yes")}
    return {"name": name, "labels": labels, "annotations": notes, **more}


def _config_map(name: str, version: int) -> JsonObject:
    values = {"kept": "1", "changed": str(version), **_until(version, 1, first="1"), **_until(version, 2, second="1")}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _metadata(name, version), "data": values}


def _bare(version: int) -> list[JsonObject]:
    """Of which nothing ever changes that stays."""
    values = {"kept": "1", **_until(version, 1, first="1"), **_until(version, 2, second="1")}
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "bare"}, "data": values},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "bare"}, "stringData": values},
    ]


def _new(version: int) -> list[JsonObject]:
    """What was not there in the first commit."""
    return [] if version == 1 else [_config_map("new", version), _deployment("new", version)]


def _secret(version: int) -> JsonObject:
    values = {"password": f"p{version}", **_until(version, 1, first="1"), **_until(version, 2, second="1")}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _metadata("keys", version),
        "type": "Opaque",
        "stringData": values,
    }


def _account(version: int) -> JsonObject:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _metadata("runner", version)}


def _service(name: str, version: int, **spec) -> JsonObject:
    ports = [{"name": "http", "port": 80, "targetPort": 8000 + version}]
    ports += [{"name": "first", "port": 81}] if version <= 1 else []
    ports += [{"name": "second", "port": 82}] if version <= 2 else []
    return {"apiVersion": "v1", "kind": "Service", "metadata": _metadata(name, version), "spec": {"selector": {"app": name}, "ports": ports, **spec}}  # fmt: skip


def _template(name: str, version: int) -> JsonObject:
    variables = [{"name": "CHANGED", "value": str(version)}]
    variables += [{"name": "FIRST", "value": "1"}] if version <= 1 else []
    variables += [{"name": "SECOND", "value": "1"}] if version <= 2 else []
    container = {
        "name": name,
        "image": f"example.org/{name}:{version}",
        "env": variables,
        "ports": [{"name": "http", "containerPort": 8080}],
        "resources": {"requests": {"cpu": "0.5", "memory": "1024Mi"}, "limits": {"memory": "1Gi"}},
        **_until(version, 1, command=["sleep"]),
    }
    return {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}


def _deployment(name: str, version: int) -> JsonObject:
    spec = {"replicas": 0, "selector": {"matchLabels": {"app": name}}, "template": _template(name, version)}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": _metadata(name, version), "spec": spec | _until(version, 1, minReadySeconds=5)}  # fmt: skip


def _stateful_set(version: int) -> JsonObject:
    # With its kind, or a server-side apply never comes to rest in Argo CD.
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "disk"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    spec = {
        "replicas": 0,
        "serviceName": "store",
        "selector": {"matchLabels": {"app": "store"}},
        "template": _template("store", version),
        "volumeClaimTemplates": [claim],
    }
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": _metadata("store", version), "spec": spec}


def _daemon_set(version: int) -> JsonObject:
    spec = {"selector": {"matchLabels": {"app": "agent"}}, "template": _template("agent", version)}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": _metadata("agent", version), "spec": spec}


def _scaler(version: int) -> JsonObject:
    metric = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50 + version}}}  # fmt: skip
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 9, "metrics": [metric]}
    spec |= _until(version, 1, behavior={"scaleDown": {"stabilizationWindowSeconds": 60}})
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": _metadata("web", version), "spec": spec}  # fmt: skip


def _budget(version: int) -> JsonObject:
    spec = {"minAvailable": version, "selector": {"matchLabels": {"app": "web"}}}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": _metadata("web", version),
        "spec": spec,
    }


def _ingress(version: int) -> JsonObject:
    def path(at: str) -> JsonObject:
        return {"path": at, "pathType": "Prefix", "backend": {"service": {"name": "web", "port": {"number": 80}}}}

    paths = [path("/"), *([path("/first")] if version <= 1 else []), *([path("/second")] if version <= 2 else [])]
    rules = [{"host": "web.example.org", "http": {"paths": paths}}]
    return {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": _metadata("web", version), "spec": {"rules": rules}}  # fmt: skip


def _rbac(team: int, version: int) -> list[JsonObject]:
    verbs = ["get", *(["list"] if version <= 1 else []), *(["watch"] if version <= 2 else [])]
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": verbs}]
    api, name = "rbac.authorization.k8s.io/v1", f"reader-{team}"
    subjects = [{"kind": "ServiceAccount", "name": "default", "namespace": f"team-{team}"}]
    reference = {"apiGroup": "rbac.authorization.k8s.io"}
    return [
        {"apiVersion": api, "kind": "Role", "metadata": _metadata("reader", version), "rules": rules},
        {"apiVersion": api, "kind": "RoleBinding", "metadata": {"name": "reader", "labels": {**_until(version, 1, first="yes"), **_until(version, 2, second="yes")}}, "subjects": subjects, "roleRef": {**reference, "kind": "Role", "name": "reader"}},
        {"apiVersion": api, "kind": "ClusterRole", "metadata": _metadata(name, version), "rules": rules},
        {"apiVersion": api, "kind": "ClusterRoleBinding", "metadata": _metadata(name, version), "subjects": subjects, "roleRef": {**reference, "kind": "ClusterRole", "name": name}},
    ]  # fmt: skip


def _custom(team: int, version: int) -> list[JsonObject]:
    group = f"team{team}.example.org"
    names = {"kind": "Lamp", "plural": "lamps", "singular": "lamp", "listKind": "LampList"}
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    served = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    spec = {
        "colour": f"c{version}",
        "bulbs": [{"watts": version}],
        **_until(version, 1, first=True),
        **_until(version, 2, second=True),
    }
    return [
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": _metadata(f"lamps.{group}", version), "spec": {"group": group, "names": names, "scope": "Namespaced", "versions": [served]}},
        {"apiVersion": f"{group}/v1", "kind": "Lamp", "metadata": _metadata("lamp", version), "spec": spec},
    ]  # fmt: skip


def _cron_job(version: int) -> JsonObject:
    template = _template("tick", version)
    template["spec"]["restartPolicy"] = "Never"
    spec = {"schedule": "0 3 * * *", "suspend": True, "jobTemplate": {"spec": {"template": template}}}
    spec |= _until(version, 1, startingDeadlineSeconds=30)
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": _metadata("tick", version), "spec": spec}


def _quota(team: int, version: int) -> list[JsonObject]:
    hard = {"pods": str(10 + version), **_until(version, 1, secrets="100"), **_until(version, 2, services="50")}
    peers = [{"from": [{"podSelector": {"matchLabels": {"app": "web"}}}], "ports": [{"port": 8000 + version}]}]
    policy = {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": peers}
    classes = {"provisioner": "example.org/none", "parameters": {"fast": "yes"}, "reclaimPolicy": "Delete"}
    return [
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": _metadata("quota", version), "spec": {"hard": hard}},
        {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": _metadata("inward", version), "spec": policy},
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": _metadata(f"urgent-{team}", version), "value": 1000},
        {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": _metadata(f"disks-{team}", version), **classes},
    ]  # fmt: skip


def _kustomize(version: int) -> dict[str, str]:
    literals = [f"changed={version}", *(["first=1"] if version <= 1 else []), *(["second=1"] if version <= 2 else [])]
    overlay = {
        "resources": ["deployment.yaml"],
        "configMapGenerator": [{"name": "generated", "literals": literals}],
        "generatorOptions": {"disableNameSuffixHash": True},
        "images": [{"name": "example.org/kust", "newTag": f"v{version}"}],
        "labels": [{"pairs": {"release": f"v{version}", **_until(version, 1, first="yes")}}],
    }
    return {
        "kustomization.yaml": encode(overlay).decode(),
        "deployment.yaml": manifests([_deployment("kust", version)]),
    }


def _chart(version: int) -> dict[str, str]:
    values = {"changed": version, **_until(version, 1, first="1"), **_until(version, 2, second="1")}
    templates = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-values
  labels: {app.kubernetes.io/managed-by: {{ .Release.Service }}, chart: {{ .Chart.Name }}-{{ .Chart.Version }}}
data:
{{- range $key, $value := .Values }}
  {{ $key }}: {{ $value | quote }}
{{- end }}
"""
    chart = {"apiVersion": "v2", "name": "chart", "version": "1.0.0"}
    return {
        "Chart.yaml": encode(chart).decode(),
        "values.yaml": encode(values).decode(),
        "templates/all.yaml": templates,
    }
