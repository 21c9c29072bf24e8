"""Rows of many applications, as a list of ten thousand has them."""

from plumbline.base.json import encode
from plumbline.kernel.cache import Relevance, cached
from plumbline.web.board.rows import row

HEALTH = ("Healthy", "Healthy", "Healthy", "Degraded", "Progressing")
SYNC = ("Synced", "Synced", "OutOfSync")
RELEVANT = Relevance()


def application(number=0, **more):
    """As big as real ones: most of it is what no list shows."""
    name = f"app-{number:05}"
    found = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": name,
            "namespace": "argocd",
            "uid": f"uid-{number}",
            "resourceVersion": str(number + 1),
            "creationTimestamp": f"2026-01-01T00:{number % 60:02}:00Z",
            "labels": {"team": f"team-{number % 7}"},
            "annotations": {"note": "x" * 500},
        },
        "spec": {
            "project": f"project-{number % 20}",
            "destination": {"server": f"https://cluster-{number % 5}", "namespace": f"ns-{number % 50}"},
            "source": {"repoURL": "https://git.example.org/apps.git", "path": f"apps/{name}", "targetRevision": "main"},
            "syncPolicy": {"automated": {}} if number % 2 else {},
        },
        "status": {
            "sync": {"status": SYNC[number % 3], "revision": "a" * 40},
            "health": {"status": HEALTH[number % 5], "lastTransitionTime": "2026-01-02T00:00:00Z"},
            "operationState": {"phase": "Succeeded", "startedAt": "2026-01-02T00:00:00Z", "finishedAt": "2026-01-02T00:00:09Z"},
            "summary": {"images": ["x" * 60] * 5},
            "resources": [{"kind": "Deployment", "name": f"{name}-{each}", "status": "Synced"} for each in range(20)],
        },
    }  # fmt: skip
    return {**found, **more}


def rows(count):
    return [row(entry(application(number))) for number in range(count)]


def entry(app):
    return cached(encode(app), RELEVANT)
