"""ServiceAccounts of pods."""

from collections.abc import Mapping

from tests.apiserver.scripts.steps import Script
from tests.apiserver.strategies.turns.samples import CORE, container, made, made_pod

SCRIPTS: Mapping[str, Script] = {
    "tokens": [
        made(f"{CORE}/serviceaccounts", {"metadata": {"name": "default"}}),
        made(
            f"{CORE}/serviceaccounts",
            {
                "metadata": {"name": "puller"},
                "imagePullSecrets": [{"name": "s"}],
                "automountServiceAccountToken": False,
            },
        ),
        made_pod("plain"),
        made_pod("named", serviceAccountName="puller"),
        made_pod("asking", serviceAccountName="puller", automountServiceAccountToken=True),
        made_pod("declining", automountServiceAccountToken=False),
        made_pod("missing", serviceAccountName="none-such"),
        made_pod("init", initContainers=[container("i")]),
        made_pod(
            "mounted",
            [container(volumeMounts=[{"name": "v", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}])],
            volumes=[{"name": "v", "emptyDir": {}}],
        ),
        made_pod("own", [container()], volumes=[{"name": "kube-api-access-mine", "emptyDir": {}}]),
        made_pod("secrets", serviceAccountName="puller", imagePullSecrets=[{"name": "t"}]),
        made_pod("legacy", serviceAccount="puller"),
    ],
    "mirrors": [
        made_pod("m", metadata={"annotations": {"kubernetes.io/config.mirror": "x"}}),
        made_pod(
            "n", nodeName="n", serviceAccountName="x", metadata={"annotations": {"kubernetes.io/config.mirror": "x"}}
        ),
        made_pod(
            "o",
            nodeName="n",
            volumes=[{"name": "v", "secret": {"secretName": "s"}}],
            metadata={"annotations": {"kubernetes.io/config.mirror": "x"}},
        ),
    ],
    "mountable secrets": [
        made(
            f"{CORE}/serviceaccounts",
            {
                "metadata": {"name": "strict", "annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}},
                "secrets": [{"name": "ok"}],
                "imagePullSecrets": [{"name": "pull"}],
            },
        ),
        made_pod("fine", serviceAccountName="strict", volumes=[{"name": "v", "secret": {"secretName": "ok"}}]),
        made_pod("volume", serviceAccountName="strict", volumes=[{"name": "v", "secret": {"secretName": "no"}}]),
        made_pod(
            "env",
            [container(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"name": "no", "key": "k"}}}])],
            serviceAccountName="strict",
        ),
        made_pod(
            "from",
            [container()],
            initContainers=[container("i", envFrom=[{"secretRef": {"name": "no"}}])],
            serviceAccountName="strict",
        ),
        made_pod("pull", serviceAccountName="strict", imagePullSecrets=[{"name": "other"}]),
    ],
}
