"""Deleting in every way, and waiting for it or for anything else: on the real cluster and on ours the same."""

import pytest

from .conftest import BothSay
from .manifests import CONFIG, WEB
from .transcripts import Line, Script, Watched

pytestmark = pytest.mark.conformance

HELD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, finalizers: [example.com/hold]}\n"
FREED = 'patch cm held --type=merge -p \'{"metadata":{"finalizers":null}}\''
TWO_SETS = "wait --for=jsonpath={.status.observedGeneration}=1 deploy/web"
DEPENDANTS = "get rs -l app=web -o jsonpath='{.items[*].metadata.ownerReferences[*].name}'"
CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: none}
"""

SCRIPTS: dict[str, Script] = {
    "delete": Script(
        [
            Line("create -f -", stdin=CONFIG),
            "delete cm one",
            "delete cm one",
            "delete cm one --ignore-not-found",
            "delete cm two three --now",
            Line("create -f -", stdin=CONFIG),
            "delete cm -l tier=back",
            "delete cm/one secret/none",
            "create secret generic a",
            "create secret generic b",
            "delete secret --all",
            "create cm odd",
            "delete cm odd --dry-run=server",
            "delete cm odd --dry-run=client",
            "delete cm --field-selector metadata.name=odd",
            "delete cm odd -o name --ignore-not-found",
            Line("delete -f - --ignore-not-found", stdin=CONFIG),
            "create cm forced",
            "delete cm forced --force",
            "create cm graced",
            "delete cm graced --grace-period=1",
            "delete ns default",
            "delete cm",
            "delete gizmo one",
            "delete --raw /api/v1/namespaces/{ns}/configmaps/none",
            "get cm -o name",
        ]
    ),
    "finalizers": Script(
        [
            Line("create -f -", stdin=HELD),
            "delete cm held --wait=false",
            "delete cm held --timeout=1s",
            "get cm held -o yaml",
            'patch cm held --type=merge -p \'{"metadata":{"finalizers":["example.com/hold","example.com/more"]}}\'',
            Watched("delete cm held", lines=1, after=1, during=[FREED]),
            "wait --for=delete cm/held --timeout=5s",
            "get cm held",
        ]
    ),
    "propagation": Script(
        [
            Line("create -f -", stdin=WEB),
            TWO_SETS,
            DEPENDANTS,
            "delete deploy web --cascade=foreground",
            "get rs -o name",
            Line("create -f -", stdin=WEB),
            TWO_SETS,
            "delete deploy web --cascade=orphan",
            "get rs -o name",
            DEPENDANTS,
            "delete rs -l app=web --cascade=background",
            Line("create -f -", stdin=WEB),
            TWO_SETS,
            "delete deploy web",
            "wait --for=delete rs -l app=web --timeout=20s",
            "get rs,deploy",
            "delete deploy web --cascade=nonsense",
        ]
    ),
    "namespaces": Script(
        [
            "create ns {ns}-gone",
            "-n {ns}-gone create cm a",
            "delete ns {ns}-gone",
            "get ns {ns}-gone",
            "-n {ns}-gone create cm b",
        ]
    ),
    "wait": Script(
        [
            "create cm here --from-literal=a=b",
            "wait --for=create cm/here",
            "wait --for=create cm/later --timeout=1s",
            "wait --for=delete cm/never",
            "wait --for=jsonpath='{.data.a}'=b cm/here",
            "wait --for=jsonpath='{.data.a}' cm/here",
            "wait --for=jsonpath='{.data.a}'=c cm/here --timeout=1s",
            "wait --for=condition=Ready cm/here --timeout=1s",
            "wait --for=condition=Ready cm/gone --timeout=1s",
            "wait --for=delete cm/here --timeout=1s",
            Line("create -f -", stdin=CLAIM),
            "wait --for=jsonpath='{.status.phase}'=Pending pvc/disk",
            "get pvc",
            Line("create -f -", stdin=WEB),
            "wait --for=condition=Available deploy/web --timeout=20s",
            "wait --for=condition=Available=False deploy --all --timeout=1s",
            "wait --for=nonsense deploy/web",
        ]
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_deletes_and_waits_like_the_real_cluster(name: str, both_say_the_same: BothSay) -> None:
    both_say_the_same(SCRIPTS[name])
