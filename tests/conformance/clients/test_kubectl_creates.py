"""Every generator of `kubectl create`, and its relatives `run`, `expose` and `autoscale`: what is stored and what is said."""

import pytest

from .conftest import BothSay
from .manifests import SERVICE, WEB
from .transcripts import Line, Script

pytestmark = pytest.mark.conformance

CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBITCByAIJALVXBHsZAd7lMAoGCCqGSM49BAMCMBkxFzAVBgNVBAMMDnNob3AuZXhhbXBsZQ==
-----END CERTIFICATE-----
"""
UNKNOWN_FIELD = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: odd}
dta: {a: b}
"""
REPEATED_FIELD = """\
apiVersion: v1
kind: Service
metadata: {name: odd}
spec:
  ports: [{port: 80, port: 81}]
"""

SCRIPTS: dict[str, Script] = {
    "configuration": Script(
        [
            "create configmap literals --from-literal=a=1 --from-literal=b='two words'",
            "create cm files --from-file=settings.ini --from-file=other=settings.ini",
            "create cm folder --from-file=folder",
            "create cm env --from-env-file=env",
            "create secret generic plain --from-literal=user=ann --from-file=settings.ini --type=example.com/own",
            "create secret docker-registry pull --docker-server=r.example.com --docker-username=u --docker-password=p",
            "create secret generic hashed --from-literal=a=1 --append-hash",
            "create secret tls broken --cert=crt --key=crt",
            "get cm,secret",
            "get cm literals files folder env -o yaml",
            "get secret -o yaml",
            "create cm literals",
            "create cm Wrong_Name",
            "create cm --dry-run=client -o yaml shown --from-literal=a=b",
            "create cm --dry-run=server -o yaml shown --from-literal=a=b",
            "create cm --dry-run=server literals",
            "create cm validated --validate=ignore",
            "create cm applied --save-config --from-literal=a=b",
            "get cm applied -o yaml",
            "create cm owned --field-manager=me",
            "get cm owned --show-managed-fields -o yaml",
        ],
        {
            "settings.ini": "[main]\nkey = value\n",
            "folder/one": "1",
            "folder/two": "2",
            "env": "A=1\n# comment\nB=two\n",
            "crt": CERTIFICATE,
        },
    ),
    "workloads": Script(
        [
            "create deployment web --image=web:1 --replicas=0 --port=8080",
            "create deployment two --image=a:1,b:2 --replicas=0",
            "create job once --image=busybox --dry-run=server -o yaml -- sh -c 'echo hello'",
            "create cronjob nightly --image=busybox --schedule='0 1 * * *' --restart=Never -- date",
            "create cronjob wrong --image=busybox --schedule='never'",
            "create job manual --from=cronjob/nightly --dry-run=client -o yaml",
            "get cronjob nightly -o yaml",
            "get cronjob",
            "create poddisruptionbudget some --selector=app=web --max-unavailable=50%",
            "create pdb more --selector=app=web --min-available=2",
            "create priorityclass {ns} --value=1000 --description='Rather important'",
            "get pc {ns} -o yaml",
            "create quota bounds --hard=cpu=1,pods=2 --scopes=BestEffort --dry-run=client -o yaml",
            "autoscale deployment web --min=1 --max=5 --cpu=80%",
            "get hpa web -o jsonpath={.spec}",
            "expose deployment web --port=80 --target-port=8080 --cluster-ip=None",
            "get svc web -o yaml",
            "expose deployment none --port=80",
            "run lone --image=busybox --restart=Never --dry-run=client -o yaml --env=A=b --labels=x=y -- sleep 1",
            "create deployment none --image=bad:image:name:x --dry-run=server",
            "create deployment Bad --image=a",
        ]
    ),
    "networking": Script(
        [
            "create service clusterip inner --tcp=80:8080 --clusterip=None",
            "create service externalname outer --external-name=example.com",
            "create service nodeport up --tcp=443 --dry-run=client -o yaml",
            "create service loadbalancer front --tcp=80:http --dry-run=client -o yaml",
            "create service clusterip given --tcp=5:6 --clusterip=300.0.0.1",
            "get svc inner outer -o yaml",
            "get svc",
            "create ingress door --class=none --rule=shop.example.com/cart*=web:80 --rule=*.example.com/=web:http,tls=c",
            "create ingress fallback --default-backend=web:80 --annotation=a=b",
            "get ingress -o jsonpath='{.items[*].spec}'",
            "create ingress wrong --rule=no-slash",
        ]
    ),
    "access": Script(
        [
            "create namespace {ns}-more",
            "get ns {ns}-more -o name",
            "create serviceaccount robot",
            "create role reader --verb=get --verb=list --resource=pods,deployments.apps --resource-name=web",
            "create role scaler --verb=update --resource=deployments.apps/scale",
            "create role none --verb=get --resource=gizmos",
            "create clusterrole {ns}-health --verb=get --non-resource-url=/metrics,/healthz*",
            "create clusterrole {ns}-sum --aggregation-rule=rbac.example.com/sum=true",
            "create rolebinding readers --role=reader --user=ann --group=staff --serviceaccount={ns}:robot",
            "create rolebinding viewers --clusterrole=view --user=ann",
            "create clusterrolebinding {ns}-health --clusterrole={ns}-health --group=probes",
            "get role,rolebinding,clusterrole/{ns}-health,clusterrolebinding/{ns}-health -o yaml",
            "get rolebinding -o wide",
            "get clusterrole {ns}-sum -o yaml",
            "delete clusterrole {ns}-sum {ns}-health",
            "delete clusterrolebinding {ns}-health",
        ]
    ),
    "manifests": Script(
        [
            Line("create -f -", stdin=WEB + "---\n" + SERVICE),
            Line("create -f -", stdin=WEB + "---\n" + SERVICE),
            Line("create -f -", stdin=UNKNOWN_FIELD),
            Line("create -f - --validate=warn", stdin=UNKNOWN_FIELD),
            Line("create -f -", stdin=REPEATED_FIELD),
            Line("create -f -", stdin=WEB.replace("app: web}}\n  template", "app: other}}\n  template")),
            Line(
                "create -f -",
                stdin=WEB.replace("name: web, labels", "name: web2, labels").replace("replicas: 0", "replicas: some"),
            ),
            Line(
                "create -f -",
                stdin=WEB.replace("name: web, labels", "name: web2, labels").replace("replicas: 0", "replicas: -1"),
            ),
            Line(
                "create -f -",
                stdin=WEB.replace("name: web, labels", "name: web2, labels").replace("image: web:1", "image: ''"),
            ),
            Line("create -f -", stdin="apiVersion: v1\nkind: Gizmo\nmetadata: {name: x}\n"),
            Line("create -f -", stdin="kind: ConfigMap\nmetadata: {name: x}\n"),
            Line("create -f -", stdin="apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: other, name: x}\n"),
            "create -f list.yaml",
            "create -k .",
            "create -f nowhere.yaml",
            "get cm",
        ],
        {
            "list.yaml": "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: in-list}}\n",
            "kustomization.yaml": "namePrefix: made-\nconfigMapGenerator: [{name: settings, literals: [a=b]}]\n",
        },
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_creates_like_the_real_cluster(name: str, both_say_the_same: BothSay) -> None:
    both_say_the_same(SCRIPTS[name])
