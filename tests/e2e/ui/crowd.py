"""Two thousand applications that are only looked at: nothing is fetched for them, and their states are as they are written."""

from tests.e2e.installation import SERVER

COUNT = 2_000
DEGRADED = 40
PROJECTS = ("default",)
_APPS = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications"
_SKIP = "argocd.argoproj.io/skip-reconcile"
_REVISION = "0123456789abcdef0123456789abcdef01234567"


def name(number):
    return f"service-{number:04}"


def crowd(place):
    for number in range(COUNT):
        answer = place.post(_APPS, _application(number))
        assert answer.fine, answer.body


def _application(number):
    """Every fiftieth is degraded, every tenth out of sync."""
    sick = number % (COUNT // DEGRADED) == 0
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name(number), "namespace": "argocd", "annotations": {_SKIP: "true"}},
        "spec": {
            "project": "default",
            "source": {"repoURL": "https://never.example.org/crowd", "path": name(number), "targetRevision": "main"},
            "destination": {"server": SERVER, "namespace": f"team-{number % 20:02}"},
        },
        "status": {
            "health": {"status": "Degraded" if sick else "Healthy", **({"message": "It crashes"} if sick else {})},
            "sync": {"status": "OutOfSync" if number % 10 == 0 else "Synced", "revision": _REVISION},
        },
    }
