"""Applying, editing, patching and the small verbs that change one thing: on the real cluster and on ours the same."""

import shlex

import pytest

from plumbline.base.json import Json, encode

from .conftest import BothSay
from .manifests import CONFIG, NIGHTLY, SERVICE, WEB
from .transcripts import Line, Script

pytestmark = pytest.mark.conformance

LATER = NIGHTLY.replace("work:1", "work:2").replace("value: plain", "value: fancy")
SHOWN = "get cj nightly -o yaml --show-managed-fields"
BROKEN = NIGHTLY.replace("containerPort: 80", "containerPort: 99999").replace("image: work:1", "image: ''")
MISSPELT = NIGHTLY.replace("suspend: true", "suspended: true")
CONTAINER = "{.spec.jobTemplate.spec.template.spec.containers[0]}"


def parts(*names: str) -> str:
    return "---\n".join(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{set: all}}}}\ndata: {{a: b}}\n"
        for name in names
    )


def patch(words: str, body: Json) -> str:
    return f"patch {words} -p {shlex.quote(encode(body).decode())}"


SIDE = {"name": "side", "image": "side:1"}
GONE = {"name": "side", "$patch": "delete"}

SCRIPTS: dict[str, Script] = {
    "apply": Script(
        [
            Line("apply -f -", stdin=NIGHTLY + "---\n" + SERVICE),
            Line("apply -f -", stdin=NIGHTLY + "---\n" + SERVICE),
            Line("apply -f -", stdin=LATER),
            SHOWN,
            "apply view-last-applied cj/nightly",
            Line("apply -f - --dry-run=client", stdin=NIGHTLY),
            Line("apply -f - --dry-run=server -o yaml", stdin=NIGHTLY),
            Line("apply -f -", stdin=LATER.replace(", name: http", "")),
            f"get cj nightly -o jsonpath={CONTAINER}",
            Line("apply edit-last-applied cj/nightly", editor="s/work:2/work:3/"),
            "apply set-last-applied -f nightly.yaml",
            "apply view-last-applied cj/nightly -o json",
            Line("apply -f -", stdin=BROKEN),
            Line("apply -f -", stdin=MISSPELT),
            Line("apply -f -", stdin=WEB),
            Line("apply -f -", stdin=WEB.replace("{matchLabels: {app: web}}", "{matchLabels: {app: new}}")),
            Line("apply -f - --force", stdin=SERVICE.replace("clusterIP: None", "clusterIP: 10.96.7.7")),
            "apply -f folder -R",
            "apply -k folder",
            "apply -f nowhere",
        ],
        {
            "nightly.yaml": NIGHTLY,
            "folder/a.yaml": parts("a"),
            "folder/deep/b.yaml": parts("b"),
            "folder/kustomization.yaml": "resources: [a.yaml]\nnameSuffix: -k\n",
        },
    ),
    "apply on the server": Script(
        [
            Line("apply --server-side -f -", stdin=NIGHTLY + "---\n" + CONFIG),
            SHOWN,
            Line("apply --server-side -f - --field-manager=other", stdin=LATER),
            Line("apply --server-side -f - --field-manager=other --force-conflicts", stdin=LATER),
            SHOWN,
            Line("apply --server-side -f -", stdin=LATER.partition("            env:")[0]),
            SHOWN,
            Line("apply --server-side -f - --dry-run=server", stdin=LATER),
            Line("apply --server-side -f -", stdin=MISSPELT),
            Line("apply --server-side -f -", stdin=BROKEN),
            "create cm adopted --from-literal=a=b --save-config",
            Line("apply --server-side -f -", stdin=parts("adopted")),
            "get cm adopted -o yaml --show-managed-fields",
        ]
    ),
    "prune": Script(
        [
            Line("apply -f - -l set=all", stdin=parts("a", "b", "c")),
            Line("apply -f - -l set=all --prune --prune-allowlist=core/v1/ConfigMap", stdin=parts("a", "b")),
            Line("apply -f - -l set=all --prune", stdin=parts("a")),
            "get cm -l set=all",
            Line("apply -f - --prune", stdin=parts("a")),
        ]
    ),
    "prune a set": Script(
        [
            Line("apply -f - --prune --applyset=configmaps/all", stdin=parts("a", "b", "c")),
            Line("apply -f - --prune --applyset=configmaps/all", stdin=parts("a")),
            "get cm all -o yaml",
            "get cm -o name",
        ]
    ),
    "diff": Script(
        [
            Line("diff -f -", stdin=parts("a")),
            Line("apply -f -", stdin=NIGHTLY),
            Line("diff -f -", stdin=NIGHTLY),
            Line("diff -f -", stdin=LATER),
            Line("diff --server-side --force-conflicts -f -", stdin=LATER),
            Line("diff --server-side -f - --field-manager=other", stdin=LATER),
            Line("diff -f -", stdin=BROKEN),
            "create secret generic s --from-literal=a=one",
            Line("diff -f -", stdin="apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: two}\n"),
            Line("apply -f - -l set=all", stdin=parts("a", "b")),
            Line("diff -f - -l set=all --prune --prune-allowlist=core/v1/ConfigMap", stdin=parts("a")),
        ]
    ),
    "patch": Script(
        [
            Line("create -f -", stdin=WEB),
            Line("create -f -", stdin=NIGHTLY),
            patch("cj nightly", {"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [SIDE]}}}}}}),
            patch("cj nightly", {"spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [GONE]}}}}}}),
            patch("cj nightly --type=merge", {"metadata": {"labels": {"app": None, "new": "yes"}}}),
            patch("cj nightly --type=json", [{"op": "replace", "path": "/spec/schedule", "value": "1 1 * * *"}]),
            patch("cj nightly --type=json", [{"op": "add", "path": "/metadata/labels/a~1b", "value": "c"}]),
            patch("cj nightly --type=json", [{"op": "test", "path": "/spec/suspend", "value": False}]),
            patch("cj nightly --type=json", [{"op": "remove", "path": "/spec/nothing"}]),
            patch("cj nightly --type=json", [{"op": "nonsense", "path": "/spec/nothing"}]),
            patch("cj nightly", {"spec": {"schedule": "never"}}),
            patch("deploy web --type=merge", {"spec": {"selector": {"matchLabels": {"a": "b"}}}}),
            patch("deploy web --subresource=scale --type=merge -o name", {"spec": {"replicas": 0}}),
            patch("cj nightly --dry-run=server -o jsonpath={.metadata.labels}", {"metadata": {"labels": {"x": "y"}}}),
            patch("cj none", {}),
            "patch cj nightly --patch-file=patch.yaml",
            "patch cj nightly -p 'nonsense: ['",
            Line('patch -f - --type=merge -p \'{"spec":{"suspend":true}}\'', stdin=NIGHTLY),
            SHOWN,
        ],
        {"patch.yaml": "spec:\n  jobTemplate:\n    metadata:\n      annotations: {patched: 'true'}\n"},
    ),
    "edit": Script(
        [
            Line("create -f -", stdin=CONFIG),
            Line("edit cm one", editor="s/key: value/key: changed/"),
            Line("edit cm one", editor="s/nothing/nothing/"),
            Line("edit cm one two", editor="s/^  key: .*/  key: both/"),
            Line("edit cm one -o json", editor='s/"key": "both"/"key": "json"/'),
            Line("edit cm two --output-patch", editor="s/note: kept/note: patched/"),
            "get cm one two -o yaml",
            Line("edit cm one", editor="s/^kind: ConfigMap/kind: Secret/"),
            Line("edit cm missing", editor="s/a/b/"),
            Line("create -f -", stdin=NIGHTLY),
            Line("edit cj nightly", editor="s/image: work:1/image: work:9/"),
            Line("edit cj nightly", editor="s/schedule: .*/schedule: never/"),
            Line("create cm made --edit --from-literal=a=b", editor="s/a: b/a: c/"),
            Line("edit ns {ns} --subresource=status", editor="s/phase: Active/phase: Terminating/"),
            SHOWN,
        ]
    ),
    "replace": Script(
        [
            Line("create -f -", stdin=NIGHTLY + "---\n" + SERVICE),
            Line("replace -f -", stdin=LATER),
            Line("replace --force -f -", stdin=NIGHTLY),
            Line("replace -f -", stdin=parts("missing")),
            Line("replace -f - --dry-run=server", stdin=LATER),
            Line("replace -f -", stdin=NIGHTLY.replace("name: nightly,", "name: nightly, resourceVersion: '1',")),
            Line("replace -f -", stdin=NIGHTLY.replace("name: nightly,", "name: nightly, uid: nobody,")),
            Line(
                "replace --subresource=status -f -",
                stdin=NIGHTLY + "status: {lastScheduleTime: 2026-01-01T00:00:00Z}\n",
            ),
            Line("replace -f -", stdin=SERVICE.replace("clusterIP: None", "clusterIP: 10.96.7.7")),
            SHOWN,
        ]
    ),
    "label and annotate": Script(
        [
            Line("create -f -", stdin=CONFIG),
            "label cm one new=label",
            "label cm one new=other",
            "label cm one new=other --overwrite",
            "label cm one new-",
            "label cm one new-",
            "label cm --all everyone=yes",
            "label cm -l tier=back back=yes",
            "label cm one everyone- tier-",
            "label cm one --list",
            "label cm one bad=label=x",
            "label cm one 'bad/label/x=y'",
            "label cm one new=x --resource-version=1",
            "label cm one new=x --dry-run=server -o jsonpath={.metadata.labels}",
            "label cm missing a=b",
            "annotate cm one text='any text, even = signs'",
            "annotate cm one text=again",
            "annotate cm one text=again --overwrite",
            "annotate cm one text-",
            "annotate cm -l tier=back note=all --overwrite",
            "annotate cm two --list",
            "get cm one two -o yaml --show-managed-fields",
        ]
    ),
    "scale": Script(
        [
            Line("create -f -", stdin=WEB),
            "scale deploy web --replicas=0",
            "scale deploy web --replicas=0 --current-replicas=3",
            "scale deploy web --replicas=0 --current-replicas=0",
            "scale deploy missing --replicas=1",
            "scale deploy web --replicas=-1",
            "scale deploy web --replicas=0 --resource-version=1",
            "scale deploy --all --replicas=0",
            Line("scale -f - --replicas=0 --dry-run=server -o name", stdin=WEB),
            "scale cm kube-root-ca.crt --replicas=0",
            "get deploy web --subresource=scale -o jsonpath={.spec}{.status}",
        ]
    ),
    "set": Script(
        [
            Line("create -f -", stdin=NIGHTLY),
            "set image cj/nightly work=work:5",
            "set image cj/nightly missing=work:5",
            "set image cj/nightly *=work:6",
            "set env cj/nightly COLOUR=blue MODE-",
            "set env cj/nightly --list",
            "create cm settings --from-literal=SIZE=9",
            "set env cj/nightly --from=cm/settings --prefix=CFG_",
            "set resources cj/nightly -c work --limits=cpu=200m,memory=512Mi --requests=cpu=100m",
            "set resources cj/nightly --limits=cpu=-1",
            Line("create -f -", stdin=WEB),
            "set serviceaccount deploy/web robot",
            "get deploy web -o jsonpath={.spec.template.spec.serviceAccountName}",
            SHOWN,
            "create svc clusterip s --tcp=80 --clusterip=None",
            "set selector svc/s app=other",
            "get svc s -o jsonpath={.spec.selector}",
            "create rolebinding viewers --clusterrole=view --user=ann",
            "set subject rolebinding viewers --user=bob --group=staff",
            "get rolebinding viewers -o jsonpath={.subjects}",
        ]
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_changes_like_the_real_cluster(name: str, both_say_the_same: BothSay) -> None:
    both_say_the_same(SCRIPTS[name])
