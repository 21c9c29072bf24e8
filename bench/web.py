"""Lists of ten thousand applications: what one takes by itself, then in Chromium, from `plumb up`."""

import gc
import tracemalloc

from bench import page
from bench.timing import best_ms, line
from plumbline.access.policy import Policy, Subject, policy_source
from plumbline.base.json import encode
from plumbline.kernel.cache import Relevance, cached
from plumbline.web.board.paging import paged
from plumbline.web.board.query import Query
from plumbline.web.board.rows import row
from plumbline.web.board.shaping import shaped
from plumbline.web.board.sight import Sight

COUNT = 10_000
RELEVANT = Relevance()
ADA = ("ada", ("team",), "argocd")
LINES = (
    "".join(f"p, role:team, applications, *, project-{number}/*, allow\n" for number in range(20))
    + "g, team, role:team\n"
)


def application(number):
    name = f"application-{number:05}"
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": name,
            "namespace": "argocd",
            "uid": f"00000000-0000-0000-0000-{number:012}",
            "resourceVersion": str(number + 1),
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"team": f"team-{number % 30}", "tier": str(number % 3), "app.kubernetes.io/name": name},
        },
        "spec": {
            "project": f"project-{number % 20}",
            "destination": {"server": f"https://cluster-{number % 12}.example.org", "namespace": f"ns-{number % 200}"},
            "source": {"repoURL": "https://git.example.org/apps.git", "path": f"apps/{name}", "targetRevision": "main"},
        },
        "status": {
            "sync": {"status": ("Synced", "OutOfSync")[number % 5 == 0], "revision": "a" * 40},
            "health": {"status": ("Healthy", "Degraded", "Progressing")[number % 3], "lastTransitionTime": "2026-01-02T00:00:00Z"},
            "operationState": {"phase": "Succeeded", "startedAt": "2026-01-02T00:00:00Z", "finishedAt": "2026-01-02T00:00:09Z"},
            "summary": {},
            "resources": [{"kind": "Deployment", "name": f"{name}-{each}", "status": "Synced"} for each in range(15)],
        },
    }  # fmt: skip


def answer(rows, sight, policy, text, sort=""):
    """All that a page takes once the request is read."""
    subject = Subject("ada", ("team",))
    seen = sight.visible(rows, ADA, lambda name: policy.allows(subject, "applications", "get", name))
    found = paged(seen, Query.parse(text), sort, limit=50)
    return encode({"items": [shaped(each) for each in found.rows], "counts": found.facets.shaped()})


def run():
    raws = [encode(application(number)) for number in range(COUNT)]
    gc.collect()
    tracemalloc.start()
    rows = [row(cached(raw, RELEVANT)) for raw in raws]
    weight_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    policy = Policy.compiled(policy_source({"policy.csv": LINES}))
    line("rows of 10,000 applications", f"{weight_bytes / 1e6:.1f} MB", "<= 30 MB")
    line("reading one of them", f"{best_ms(lambda: row(cached(raws[0], RELEVANT))):.3f} ms")
    line(
        "first page, nothing decided yet",
        f"{best_ms(lambda: answer(rows, fresh(policy), policy, ''), 3):.0f} ms",
        "<= 300 ms",
    )
    sight = fresh(policy)
    for what, text, sort in (
        ("first page of 50", "", ""),
        ("filter: health:degraded", "health:degraded", ""),
        ("filter: three terms, sorted", "-health:healthy sync:synced project:project-1* 01", "-health,project"),
    ):
        size_bytes = len(answer(rows, sight, policy, text, sort))
        took_ms = best_ms(lambda text=text, sort=sort: answer(rows, sight, policy, text, sort), 5)
        budget = "<= 150 ms" if text else "<= 300 ms, 100 kB"
        line(what, f"{took_ms:.0f} ms, {size_bytes / 1000:.0f} kB", budget)
    page.run()


def fresh(policy):
    return Sight("argocd", lambda: policy, lambda _: True)
