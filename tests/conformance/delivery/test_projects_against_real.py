"""Projects, windows and settings are compared with the packages of the real Argo CD, question by question."""

import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest
from tests.delivery.projects.questions import our_answer, questions, recorded, to_record
from tests.delivery.settings.building import settings

from plumbline.base.environment import environment
from plumbline.base.json import decode, encode

pytestmark = pytest.mark.conformance

ARGO_CD = "github.com/argoproj/argo-cd/v3@v3.5.6"
ENGINE = "github.com/argoproj/argo-cd/gitops-engine"
ENGINE_VERSION = "v0.0.0-20260914071520-c9c369efcc5b"
PROGRAM = Path(__file__).with_name("projects_oracle")
# As `make peers` builds Argo CD, whose packages are then already compiled.
BUILD = {
    "GOFLAGS": "-mod=mod -buildvcs=false -trimpath",
    "GOSUMDB": "off",
    "GOTOOLCHAIN": "local",
    "CGO_ENABLED": "0",
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A program that answers with Argo CD's own code."""
    go = shutil.which("go")
    if go is None:
        pytest.fail("Go is not on PATH; run `make peers` first")
    folder = tmp_path_factory.mktemp("projects")

    def run(*arguments):
        done = subprocess.run(
            [go, *arguments], cwd=folder, env=environment() | BUILD, check=True, capture_output=True, timeout=600
        )
        return done.stdout

    for name in ("main.go", "link.s"):
        shutil.copy(PROGRAM / name, folder)
    source = Path(decode(run("mod", "download", "-json", ARGO_CD))["Dir"])
    for name in ("go.mod", "go.sum"):
        (folder / name).write_bytes((source / name).read_bytes())
    run(
        "mod",
        "edit",
        "-module",
        "example.org/oracle",
        f"-replace={ENGINE}={ENGINE}@{ENGINE_VERSION}",
        f"-require={ARGO_CD}",
    )
    run("build", "-o", "oracle", ".")

    def answers(asking):
        said = subprocess.run([folder / "oracle"], input=encode(asking), capture_output=True, check=True, timeout=60)
        return decode(said.stdout)

    return answers


def test_what_was_recorded_is_what_it_says(asked):
    assert decode(to_record(asked(questions()))) == decode(to_record(recorded()))


def window(kind, starts, hours, **more):
    """One that opened, or opens, *starts* hours from now, at a time that no minute of this test can cross."""
    opens = datetime.now(UTC) + timedelta(hours=starts)
    schedule = f"{opens.minute} {opens.hour} {opens.day} {opens.month} *"
    return {"kind": kind, "schedule": schedule, "duration": f"{hours}h", "applications": ["*"], **more}


def test_what_may_go_on_goes_on_there(asked):
    now = datetime.now(UTC)
    shapes = [("deny", -1.5, 3), ("deny", -6, 2), ("allow", -1.5, 3), ("allow", -6, 4), ("allow", 5, 1)]
    flags = [{}, {"syncOverrun": True}, {"manualSync": True}, {"syncOverrun": True, "timeZone": "Europe/Berlin"}]
    single = [window(*shape, **more) for shape, more in product(shapes, flags)]
    pairs = [[one, other] for one, other in product(single[::2], single[1::3])]
    started = [None, (now - timedelta(hours=2.5)).isoformat(), (now - timedelta(hours=5)).isoformat(), now.isoformat()]
    asking = [
        {"ask": "allowed", "spec": {"syncWindows": windows}, "manual": manual, "started": began, "at": now.isoformat()}
        for windows, manual, began in product([*([each] for each in single), *pairs], (False, True), started)
    ]
    theirs = asked(asking)
    assert [our_answer(each)["yes"] for each in asking] == [each["yes"] for each in theirs]
    assert {each["yes"] for each in theirs} == {True, False}


KEY = "resource.customizations"
ENTRIES = [
    {},
    {"resource.compareoptions": "ignoreResourceStatusField: crd"},
    {"resource.compareoptions": "ignoreResourceStatusField: none\nignoreDifferencesOnResourceUpdates: false"},
    {"resource.compareoptions": "ignoreResourceStatusField: off"},
    {f"{KEY}.ignoreDifferences.all": "jsonPointers: [/a]", f"{KEY}.ignoreResourceUpdates.all": "jsonPointers: [/b]"},
    {f"{KEY}.ignoreDifferences.apps_Deployment": "jqPathExpressions: [.x]\nmanagedFieldsManagers: [m]"},
    {KEY: "apps/*:\n  ignoreDifferences: |\n    jsonPointers: [/spec/replicas]\nService:\n  health.lua: return {}"},
    {KEY: "Service:\n  ignoreDifferences: 'jsonPointers: [/a]'", f"{KEY}.ignoreDifferences.Service": "jsonPointers: [/b]"},
    {"resource.exclusions": "- apiGroups: ['*.example.org', discovery.k8s.io]\n- kinds: [Pod]\n  clusters: ['https://o*']"},
    {"resource.inclusions": "- apiGroups: [apps]\n  clusters: [https://one]"},
    {"resource.inclusions": "- apiGroups: ['*']\n  kinds: [Pod, Event]", "resource.exclusions": "- kinds: ['*']\n  apiGroups: [apps]"},
    {"helm.valuesFileSchemes": "s3, https,", "helm.enable": "false", "kustomize.enable": "", "jsonnet.enable": "True"},
    {"helm.valuesFileSchemes": ""},
    {"application.sync.impersonation.enforced": "false", "cluster.inClusterEnabled": "False"},
    {"cluster.inClusterEnabled": "false", "resource.sensitive.mask.annotations": "a, b/c"},
    {"webhook.maxPayloadSizeMB": "7", "webhook.refresh.jitter": "90s"},
    {"webhook.maxPayloadSizeMB": "x", "webhook.refresh.jitter": "x"},
]  # fmt: skip


def test_settings_are_read_as_they_are_there(asked):
    theirs = asked([{"ask": "settings", "data": entries} for entries in ENTRIES])
    assert [our_settings(entries) for entries in ENTRIES] == [tidied(each) for each in theirs]


def tidied(answer):
    said = answer["said"]
    for name in ("ignored", "unnoticed"):
        said[name] = {kind: [sorted(each or ()) for each in fields] for kind, fields in said[name].items()}
    said["enabled"].pop("Plugin")
    return said | {"schemes": said["schemes"] or []}


def our_settings(entries):
    found = settings(entries)
    kinds = [
        ("", "Pod"),
        ("", "Event"),
        ("apps", "Deployment"),
        ("discovery.k8s.io", "EndpointSlice"),
        ("x.example.org", "Thing"),
    ]
    places = list(product(kinds, ("https://one", "https://two")))
    rendering = found.rendering
    return {
        "ignored": rules(found.customizations.ignored_differences),
        "unnoticed": rules(found.customizations.ignored_updates),
        "schemes": list(rendering.helm.value_file_schemes),
        "enabled": {
            "Helm": rendering.helm.enabled,
            "Kustomize": rendering.kustomize.enabled,
            "Directory": rendering.jsonnet,
        },
        "enforced": found.impersonation.enforced,
        "local": found.in_cluster_enabled,
        "excluded": {f"{g}/{k} {server}": found.filter.excludes(g, k, server) for (g, k), server in places},
        "masked": sorted(found.display.masked_annotations),
        "payload": found.webhooks.max_payload_bytes,
        "jitter": found.webhooks.refresh_jitter_s,
    }


def rules(found):
    return {
        f"{rule.group}/{rule.kind}" if rule.group else rule.kind: [
            sorted(each) for each in (rule.json_pointers, rule.jq_path_expressions, rule.managed_fields_managers)
        ]
        for rule in found
    }
