"""What people look at: every output of `get`, watches, `describe`, `explain` and discovery, as on the real cluster."""

import pytest

from .conftest import BothSay
from .manifests import CONFIG, QUOTA, SERVICE, WEB, WIDGET, WIDGETS
from .transcripts import Kubectl, Line, Script, Watched

pytestmark = pytest.mark.conformance

SEED = Line("create -f -", stdin=f"{CONFIG}---\n{SERVICE}---\n{WEB}")

SCRIPTS: dict[str, Script] = {
    "tables": Script(
        [
            SEED,
            "get cm",
            "get cm -o wide",
            "get cm --show-labels",
            "get cm -L tier,app",
            "get cm --no-headers",
            "get cm --show-kind",
            "get cm one two",
            "get cm/one svc/web",
            "get svc,cm -l app=shop",
            "get cm,svc -o wide",
            "get deployments -o wide",
            "get deploy.apps,deployments.v1.apps",
            "get cm --chunk-size=1",
            "get sa",
            "get all -l app=web",
            "get cm -l nothing=here",
            "get secrets",
        ]
    ),
    "formats": Script(
        [
            SEED,
            "get cm one -o yaml",
            "get cm one -o json",
            "get cm one -o kyaml",
            "get cm one two -o json",
            "get cm -l tier=back -o yaml",
            "get cm -o name",
            "get cm/one svc/web -o name",
            "get cm one -o jsonpath={.data.key}",
            r'get cm -o jsonpath="{range .items[*]}{.metadata.name}{\"\t\"}{.data.key}{\"\n\"}{end}"',
            "get cm one -o jsonpath-as-json={.metadata.labels}",
            "get cm one -o jsonpath-file=path",
            "get cm one -o go-template={{.data.key}}",
            "get cm -o go-template-file=template",
            "get cm -o custom-columns=NAME:.metadata.name,KEY:.data.key,LABELS:.metadata.labels",
            "get cm -o custom-columns-file=columns",
            "get cm one --show-managed-fields -o yaml",
            "get deploy web -o yaml",
            "get svc web -o yaml",
            "get ns {ns} -o yaml",
            "get deploy web --subresource=scale",
            "get deploy web --subresource=scale -o yaml",
            "get deploy web --subresource=status -o name",
            "get cm one -o nonsense",
        ],
        {
            "path": "{.data.text}",
            "template": '{{range .items}}{{.metadata.name}}{{"\\n"}}{{end}}',
            "columns": "NAME           TIER\n.metadata.name .metadata.labels.tier\n",
        },
    ),
    "selections": Script(
        [
            SEED,
            "get cm -l tier=back,app=shop",
            "get cm -l 'tier in (front),app'",
            "get cm -l '!app'",
            "get cm -l tier!=back",
            "get cm --field-selector metadata.name=one",
            "get cm --field-selector metadata.name!=one",
            "get cm --field-selector data.key=value",
            "get cm -l 'tier in ('",
            "get cm --sort-by=.metadata.name",
            "get cm --sort-by=.data.key -o name",
            "get cm -A -l app=shop --field-selector metadata.namespace={ns}",
            "get cm -A --field-selector metadata.namespace={ns} --sort-by=.metadata.name",
            "get secrets --field-selector type=Opaque",
            "get cm missing",
            "get cm one missing",
            "get cm missing --ignore-not-found",
            "get gizmos",
            "get cm one svc",
            "get -f - -o name",
            "get pods -n nowhere",
            "get configmaps.v2",
        ]
    ),
    "raw": Script(
        [
            "get --raw /healthz",
            "get --raw /livez",
            "get --raw /readyz",
            "get --raw /api/v1/namespaces/{ns}/configmaps/none",
            "get --raw /nothing",
            "get --raw /apis/nothing.example.com/v1",
            "version",
            "get --raw /apis/apps/v2",
            "top pods",
            "top nodes",
        ]
    ),
    "watches": Script(
        [
            SEED,
            Watched(
                "get cm -w",
                lines=10,
                after=5,
                during=[
                    "create cm four",
                    "label cm four tier=front",
                    'patch cm four -p \'{"data":{"a":"b"}}\'',
                    "delete cm four",
                    "create cm five",
                ],
            ),
            Watched(
                "get cm -w --output-watch-events -l tier=front",
                lines=6,
                after=2,
                during=[
                    "label cm two tier=front --overwrite",
                    "label cm one tier-",
                    "delete cm two",
                    "create cm six",
                    "label cm six tier=front",
                ],
            ),
            Watched(
                "get cm one -w -o jsonpath='{.data}{\"\\n\"}'",
                lines=2,
                during=["patch cm one --type=merge -p '{\"data\":null}'"],
            ),
            Watched(
                "get deploy --watch-only -o name",
                lines=1,
                after=0,
                during=["annotate deploy web seen=yes", "annotate deploy web seen=twice --overwrite"],
            ),
            "get cm -w --request-timeout=1s -l tier=none",
        ]
    ),
    "custom kinds": Script(
        [
            Line("create -f -", stdin=WIDGETS),
            "wait --for=condition=Established crd/widgets.{ns}.example.com --timeout=10s",
            Line("get widgets.{ns}.example.com", awaited=True),
            Line("explain widgets.{ns}.example.com", awaited=True),
            Line("apply -f -", stdin=WIDGET),
            "get widgets",
            "get wd left -o yaml",
            "get widget/left -o jsonpath={.spec}",
            "get parts",
            "describe widget left",
            "explain widgets.{ns}.example.com.spec",
            "explain widget.spec.size --api-version={ns}.example.com/v1",
            "api-resources --api-group={ns}.example.com -o wide",
            "scale widget left --replicas=5",
            "get wd left --subresource=scale -o jsonpath={.spec}",
            'patch wd left --type=merge -p \'{"spec":{"size":12}}\'',
            'patch wd left --type=merge -p \'{"spec":{"colour":"red"}}\'',
            'patch wd left --subresource=status --type=merge -p \'{"status":{"size":5}}\'',
            "patch wd left -p '{}'",
            Line("apply -f -", stdin=WIDGET.replace("{size: 3}", "{size: 4, bogus: 1}")),
            Line("apply --server-side -f -", stdin=WIDGET.replace("{size: 3}", "{size: 4, bogus: 1}")),
            Line("apply -f -", stdin=WIDGET.replace("{size: 3}", "{size: many}")),
            Line("apply -f -", stdin=WIDGET.replace("{size: 3}", "{colour: green}")),
            Line("diff -f -", stdin=WIDGET.replace("{size: 3}", "{size: 1}")),
            Line("edit wd left", editor="s/size: 5/size: 6/"),
            "label wd left a=b",
            "get crd widgets.{ns}.example.com -o jsonpath={.status.acceptedNames}",
            Watched("get wd -w", lines=3, after=2, during=['patch wd left --type=merge -p \'{"spec":{"size":2}}\'']),
            "delete crd widgets.{ns}.example.com",
        ]
    ),
    "descriptions": Script(
        [
            SEED,
            Line("create -f -", stdin=QUOTA, compared=False),
            "create secret generic s --from-literal=token=abc",
            "create role reader --verb=get,list --resource=pods,services",
            "create rolebinding readers --role=reader --serviceaccount={ns}:default --user=ann",
            "create pdb web --selector=app=web --min-available=1",
            "create cronjob nightly --image=busybox --schedule='0 1 * * *' -- date",
            "describe cm one",
            "describe cm -l tier=back",
            "describe secret s",
            "describe svc web",
            "describe role reader",
            "describe rolebinding readers",
            "describe limits limits",
            "describe sa default",
            "describe cj nightly",
            "describe networkpolicies",
            "describe cm missing",
            "describe cm t",
            "describe clusterrole view",
            "describe priorityclass system-node-critical",
            "describe ns kube-public",
        ]
    ),
    "explanations": Script(
        [
            "explain pods",
            "explain deployment.spec.selector",
            "explain pods.spec.containers.livenessProbe --recursive",
            "explain cronjob --api-version=batch/v1",
            "explain ingress.spec.rules.http.paths.backend",
            "explain configmaps.data",
            "explain pods.spec.nothing",
            "explain nothing",
            "explain crd.spec.versions.schema",
            "explain hpa.spec.metrics --api-version=autoscaling/v2",
            "explain svc.spec.sessionAffinityConfig --output=plaintext-openapiv2",
        ]
    ),
    "what is served": Script(
        [
            f"api-resources --api-group={group} -o wide"
            for group in ("''", "apps", "batch", "rbac.authorization.k8s.io", "policy", "apiextensions.k8s.io")
        ]
        + [
            "api-resources --namespaced=false --verbs=list,get --api-group=storage.k8s.io -o name",
            "api-resources --categories=all --sort-by=name --api-group=apps",
            "api-resources --sort-by=kind --no-headers --api-group=networking.k8s.io",
            "cluster-info",
        ]
    ),
}


def test_the_values_that_a_field_may_have_are_explained(kubectl: Kubectl) -> None:
    """Without the reasons that the real server gives for each, which are in no public description of the API."""
    said = kubectl.run(Line("explain deployment.spec.strategy.type"))
    assert said.code == 0, said.err
    assert "ENUM:\n    Recreate\n    RollingUpdate\n" in said.out


@pytest.mark.parametrize("name", SCRIPTS)
def test_reads_like_the_real_cluster(name: str, both_say_the_same: BothSay) -> None:
    both_say_the_same(SCRIPTS[name])
