import msgspec
import pytest

from plumbline.base.errors import InvalidInput
from plumbline.kinds.application import APPLICATION, ApplicationSpec, ApplicationStatus, Operation
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.read import read, read_part
from plumbline.kinds.values import written

HELM = {
    "valueFiles": ["values.yaml", "$shared/eu.yaml"],
    "parameters": [{"name": "image.tag", "value": "1", "forceString": True}],
    "releaseName": "shop",
    "values": "replicas: 2\n",
    "fileParameters": [{"name": "motd", "path": "motd.txt"}],
    "version": "v3",
    "passCredentials": True,
    "ignoreMissingValueFiles": True,
    "skipCrds": True,
    "valuesObject": {"replicas": 3, "nothing": None},
    "namespace": "elsewhere",
    "kubeVersion": "1.36",
    "apiVersions": ["monitoring.coreos.com/v1"],
    "skipTests": True,
    "skipSchemaValidation": True,
}
KUSTOMIZE = {
    "namePrefix": "a-",
    "nameSuffix": "-z",
    "images": ["web=registry.example.org/web:2"],
    "commonLabels": {"team": "shop"},
    "version": "v5.8.1",
    "commonAnnotations": {"revision": "${ARGOCD_APP_REVISION}"},
    "forceCommonLabels": True,
    "forceCommonAnnotations": True,
    "namespace": "elsewhere",
    "commonAnnotationsEnvsubst": True,
    "replicas": [{"name": "web", "count": 3}, {"name": "worker", "count": "2"}],
    "patches": [
        {
            "path": "patch.yaml",
            "patch": "[]",
            "target": {
                "group": "apps",
                "version": "v1",
                "kind": "Deployment",
                "name": "web",
                "namespace": "shop",
                "annotationSelector": "a=b",
                "labelSelector": "c=d",
            },
            "options": {"allowNameChange": True},
        }
    ],
    "components": ["../components/debug"],
    "ignoreMissingComponents": True,
    "labelWithoutSelector": True,
    "labelIncludeTemplates": True,
    "kubeVersion": "1.36",
    "apiVersions": ["v1"],
}
DIRECTORY = {
    "recurse": True,
    "jsonnet": {
        "extVars": [{"name": "a", "value": "1", "code": True}],
        "tlas": [{"name": "b", "value": "text"}],
        "libs": ["vendor"],
    },
    "exclude": "test/*",
    "include": "*.yaml",
}
PLUGIN = {
    "name": "own",
    "env": [{"name": "A", "value": "1"}],
    "parameters": [
        {"name": "text", "string": "1"},
        {"name": "many", "array": ["1"]},
        {"name": "named", "map": {"a": "1"}},
    ],
}
SOURCE = {
    "repoURL": "https://git.example.org/shop.git",
    "path": "web",
    "targetRevision": "main",
    "helm": HELM,
    "kustomize": KUSTOMIZE,
    "directory": DIRECTORY,
    "plugin": PLUGIN,
    "chart": "shop",
    "ref": "shared",
    "name": "the shop",
    "tagPrefix": "shop/",
}
DESTINATION = {"server": "https://kubernetes.default.svc", "namespace": "shop", "name": "in-cluster"}
IGNORED = {
    "group": "apps",
    "kind": "Deployment",
    "name": "web",
    "namespace": "shop",
    "jsonPointers": ["/spec/replicas"],
    "jqPathExpressions": [".spec.template"],
    "managedFieldsManagers": ["autoscaler"],
}
RETRY = {"limit": 3, "backoff": {"duration": "5s", "factor": 2, "maxDuration": "3m"}, "refresh": True}
HYDRATOR = {
    "drySource": {
        "repoURL": "https://git.example.org/shop.git",
        "targetRevision": "main",
        "path": "web",
        "helm": {"releaseName": "shop"},
        "kustomize": {"namePrefix": "a-"},
        "directory": {"recurse": True},
        "plugin": {"name": "own"},
    },
    "syncSource": {"targetBranch": "env/prod", "path": "web", "repoURL": "https://git.example.org/hydrated.git"},
    "hydrateTo": {"targetBranch": "env/prod-next"},
}
SPEC = {
    "source": SOURCE,
    "destination": DESTINATION,
    "project": "shop",
    "syncPolicy": {
        "automated": {"prune": True, "selfHeal": True, "allowEmpty": False, "enabled": True},
        "syncOptions": ["CreateNamespace=true"],
        "retry": RETRY,
        "managedNamespaceMetadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}},
    },
    "ignoreDifferences": [IGNORED],
    "info": [{"name": "url", "value": "https://shop.example.org"}],
    "revisionHistoryLimit": 5,
    "sources": [{"repoURL": "https://git.example.org/shop.git", "ref": "shared"}],
    "sourceHydrator": HYDRATOR,
}
OPERATION = {
    "sync": {
        "revision": "main",
        "prune": True,
        "dryRun": True,
        "syncStrategy": {"apply": {"force": True}, "hook": {"force": True}},
        "resources": [{"group": "apps", "kind": "Deployment", "name": "web", "namespace": "shop"}],
        "source": {"repoURL": "https://git.example.org/shop.git"},
        "manifests": ["{}"],
        "syncOptions": ["Validate=false"],
        "sources": [{"repoURL": "https://git.example.org/shop.git"}],
        "revisions": ["main"],
        "autoHealAttemptsCount": 2,
    },
    "initiatedBy": {"username": "ada", "automated": True},
    "info": [{"name": "why", "value": "because"}],
    "retry": RETRY,
}
AT = "2026-01-31T12:00:00Z"
SHA = "0" * 40
HEALTH = {"status": "Degraded", "message": "Crashing", "lastTransitionTime": AT}
HYDRATED = {"drySHA": SHA, "hydratedSHA": SHA, "sourceHydrator": HYDRATOR}
STATUS = {
    "resources": [
        {
            "group": "apps",
            "version": "v1",
            "kind": "Deployment",
            "namespace": "shop",
            "name": "web",
            "status": "OutOfSync",
            "health": HEALTH,
            "hook": True,
            "requiresPruning": True,
            "syncWave": -1,
            "requiresDeletionConfirmation": True,
        }
    ],
    "sync": {
        "status": "OutOfSync",
        "comparedTo": {
            "source": {"repoURL": "https://git.example.org/shop.git"},
            "destination": DESTINATION,
            "sources": [{"repoURL": "https://git.example.org/shop.git"}],
            "ignoreDifferences": [IGNORED],
        },
        "revision": SHA,
        "revisions": [SHA],
    },
    "health": HEALTH,
    "history": [
        {
            "revision": SHA,
            "deployedAt": AT,
            "id": 7,
            "source": {"repoURL": "https://git.example.org/shop.git"},
            "deployStartedAt": AT,
            "sources": [{"repoURL": "https://git.example.org/shop.git"}],
            "revisions": [SHA],
            "initiatedBy": {"username": "ada", "automated": True},
        }
    ],
    "conditions": [{"type": "SyncError", "message": "No", "lastTransitionTime": AT}],
    "reconciledAt": AT,
    "operationState": {
        "operation": OPERATION,
        "phase": "Running",
        "message": "one or more tasks are running",
        "syncResult": {
            "resources": [
                {
                    "group": "batch",
                    "version": "v1",
                    "kind": "Job",
                    "namespace": "shop",
                    "name": "migrate",
                    "status": "Synced",
                    "message": "job.batch/migrate created",
                    "hookType": "PreSync",
                    "hookPhase": "Running",
                    "syncPhase": "PreSync",
                    "images": ["migrate:1"],
                }
            ],
            "revision": SHA,
            "source": {"repoURL": "https://git.example.org/shop.git"},
            "sources": [{"repoURL": "https://git.example.org/shop.git"}],
            "revisions": [SHA],
            "managedNamespaceMetadata": {"labels": {"a": "b"}},
        },
        "startedAt": AT,
        "finishedAt": AT,
        "retryCount": 1,
    },
    "observedAt": AT,
    "sourceType": "Helm",
    "summary": {"externalURLs": ["https://shop.example.org"], "images": ["web:1"], "isAppOfApps": True},
    "resourceHealthSource": "appTree",
    "sourceTypes": ["Helm"],
    "controllerNamespace": "argocd",
    "sourceHydrator": {
        "lastSuccessfulOperation": HYDRATED,
        "currentOperation": {"startedAt": AT, "finishedAt": AT, "phase": "Failed", "message": "No", **HYDRATED},
        "lastComparedDryRevision": SHA,
    },
}


def application(spec, **others):
    metadata = {"name": "shop", "namespace": "argocd"}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata, "spec": spec} | others


def test_every_field_survives_a_round_trip():
    obj = application(SPEC, status=STATUS, operation=OPERATION)
    got = read(APPLICATION, obj)
    assert got.unknown == ()
    assert written(got.spec) == SPEC
    assert written(got.status) == STATUS
    assert written(read_part(obj, "operation", Operation)) == OPERATION


def test_every_declared_field_is_in_the_example():
    seen: dict[type, set[str]] = {}
    for root, example in ((ApplicationSpec, SPEC), (ApplicationStatus, STATUS), (Operation, OPERATION)):
        _collect(msgspec.convert(example, root), example, seen)
    left_out = {kind.__name__: set(kind.__struct_encode_fields__) - given for kind, given in seen.items()}
    assert {name: fields for name, fields in left_out.items() if fields} == {}


def _collect(struct, example, seen):
    """Which fields of each struct the examples give, all places together."""
    seen.setdefault(type(struct), set()).update(example)
    for field in msgspec.structs.fields(struct):
        if field.encode_name not in example:
            continue
        pairs = [(getattr(struct, field.name), example[field.encode_name])]
        while pairs:
            value, given = pairs.pop()
            if isinstance(value, msgspec.Struct):
                _collect(value, given, seen)
            elif isinstance(value, tuple):
                pairs += zip(value, given, strict=True)


def test_an_absent_choice_is_kept_apart_from_a_false_one():
    spec = {**SPEC, "syncPolicy": {"automated": {"prune": False}}}
    automated = read(APPLICATION, application(spec)).spec.sync_policy.automated
    assert automated.prune is False
    assert automated.self_heal is None
    assert written(automated) == {"prune": False}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({**SPEC, "project": 3}, "spec.project"),
        ({**SPEC, "source": {"path": "web"}}, "spec.source"),
        ({**SPEC, "revisionHistoryLimit": "ten"}, "spec.revisionHistoryLimit"),
    ],
)
def test_a_field_of_the_wrong_type_is_refused_with_its_path(spec, path):
    with pytest.raises(InvalidInput) as raised:
        read(APPLICATION, application(spec))
    assert path in str(raised.value)


def test_texts_that_cannot_be_used_are_left_for_a_condition_to_tell():
    spec = {**SPEC, "syncPolicy": {"retry": {"limit": 1, "backoff": {"duration": "soon"}}, "syncOptions": ["?"]}}
    assert read(APPLICATION, application(spec)).spec.sync_policy.retry.backoff.duration == "soon"


def test_fields_of_a_newer_upstream_are_kept_and_reported():
    got = read(APPLICATION, application({**SPEC, "source": {"repoURL": "a", "newIn4": 1}, "quota": 3}))
    assert set(got.unknown) == {"spec.source.newIn4", "spec.quota"}
    assert got.raw["spec"]["quota"] == 3


def test_status_and_operation_are_written_with_the_object_as_upstream_does():
    version = crd_manifest(APPLICATION)["spec"]["versions"][0]
    assert "subresources" not in version
    assert {"spec", "status", "operation"} <= set(version["schema"]["openAPIV3Schema"]["properties"])
