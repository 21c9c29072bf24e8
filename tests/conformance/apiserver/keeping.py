"""Stories about garbage, namespaces and what every namespace has: what is written, and what should be left in the end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.apiserver.scripts.samples import CM, MERGE, cm, pod, uid
from tests.apiserver.scripts.steps import Past, Script, Step

from plumbline.base.json import Json, JsonObject

NAMESPACE = "/api/v1/namespaces/{ns}-x"
INSIDE = "/api/v1/namespaces/{ns}-x/configmaps"
SECRETS = "/api/v1/namespaces/{ns}/secrets"
ACCOUNTS = "/api/v1/namespaces/{ns}/serviceaccounts"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
HELD = ["example.org/held"]

Later = tuple[Step, ...]


@dataclass(frozen=True)
class Story:
    """Steps in rounds. After each round both clusters are left alone until what is `seen` no longer changes."""

    rounds: tuple[Script, ...]
    seen: Mapping[str, str] = field(default_factory=lambda: {"left": CM})


def owned(name: str, *owners: Callable[[Past], Json], **metadata: Json) -> Step:
    def body(past: Past) -> Json:
        return cm(metadata={"name": name, "ownerReferences": [owner(past) for owner in owners], **metadata})

    return Step("POST", CM, body)


def owner(
    name: str, step: int, *, kind: str = "ConfigMap", version: str = "v1", **more: Json
) -> Callable[[Past], Json]:
    return lambda past: {"apiVersion": version, "kind": kind, "name": name, "uid": uid(past, step), **more}


def made(name: str, **metadata: Json) -> Step:
    return Step("POST", CM, cm(metadata={"name": name, **metadata}))


def gone(name: str, policy: str) -> Step:
    return Step("DELETE", f"{CM}/{name}", {"propagationPolicy": policy})


def freed(name: str, path: str = CM) -> Step:
    return Step("PATCH", f"{path}/{name}", {"metadata": {"finalizers": None}}, type=MERGE)


def account(name: str, **more: Json) -> Step:
    return Step("POST", ACCOUNTS, {"metadata": {"name": name}, **more})


def for_token(name: str, of: str, *, uid: str = "", **more: Json) -> Step:
    """A Secret that is to hold the token of an account."""
    named = {"kubernetes.io/service-account.name": of} | ({"kubernetes.io/service-account.uid": uid} if uid else {})
    body = {"type": "kubernetes.io/service-account-token", "metadata": {"name": name, "annotations": named}, **more}
    return Step("POST", SECRETS, body)


def patched(path: str, change: JsonObject) -> Step:
    return Step("PATCH", path, change, type=MERGE)


_STRANGER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "nobody", "uid": "11111111-2222-4333-8444-555555555555"}
_BLOCKS = {"blockOwnerDeletion": True}

STORIES: dict[str, Story] = {
    "in the background": Story(
        (
            [made("a"), owned("b", owner("a", 0)), owned("c", owner("b", 1)), made("z")],
            [gone("a", "Background")],
        )
    ),
    "one of two owners": Story(
        ([made("a"), made("b"), owned("c", owner("a", 0), owner("b", 1))], [gone("a", "Background")])
    ),
    "an owner that never was": Story(
        ([made("z"), Step("POST", CM, cm(metadata={"name": "a", "ownerReferences": [_STRANGER]}))],)
    ),
    "another under its name": Story(
        ([made("a"), Step("POST", CM, cm(metadata={"name": "b", "ownerReferences": [{**_STRANGER, "name": "a"}]}))],)
    ),
    "orphans": Story(
        (
            [made("a"), made("b"), owned("c", owner("a", 0)), owned("d", owner("a", 0), owner("b", 1))],
            [gone("a", "Orphan")],
        )
    ),
    "in the foreground": Story(
        (
            [
                made("a"),
                owned("b", owner("a", 0, **_BLOCKS)),
                owned("c", owner("a", 0)),
                owned("d", owner("b", 1, **_BLOCKS)),
            ],
            [gone("a", "Foreground")],
        )
    ),
    "in the foreground, held up": Story(
        (
            [
                made("a"),
                owned("b", owner("a", 0, **_BLOCKS), finalizers=HELD),
                owned("c", owner("a", 0), finalizers=HELD),
            ],
            [gone("a", "Foreground")],
            [freed("b")],
            [freed("c")],
        )
    ),
    "in the foreground, in the middle": Story(
        (
            [made("a"), owned("b", owner("a", 0, **_BLOCKS)), owned("c", owner("b", 1, **_BLOCKS), finalizers=HELD)],
            [gone("a", "Foreground")],
            [freed("c")],
        )
    ),
    "in the foreground, shared": Story(
        ([made("a"), made("b"), owned("c", owner("a", 0, **_BLOCKS), owner("b", 1))], [gone("a", "Foreground")])
    ),
    "a circle": Story(
        (
            [
                made("a"),
                owned("b", owner("a", 0, **_BLOCKS)),
                Step(
                    "PATCH",
                    f"{CM}/a",
                    lambda past: {"metadata": {"ownerReferences": [owner("b", 1, **_BLOCKS)(past)]}},
                    type=MERGE,
                ),
            ],
            [gone("a", "Foreground")],
        )
    ),
    "below something of the cluster": Story(
        (
            [
                Step("POST", ROLES, {"metadata": {"name": "{ns}"}, "rules": []}),
                owned("a", owner("{ns}", 0, kind="ClusterRole", version="rbac.authorization.k8s.io/v1")),
            ],
            [Step("DELETE", f"{ROLES}/{{ns}}", {"propagationPolicy": "Background"})],
        )
    ),
    "a namespace with something in it": Story(
        (
            [
                Step("POST", "/api/v1/namespaces", {"metadata": {"name": "{ns}-x"}}),
                Step("POST", INSIDE, cm()),
                Step("POST", "/api/v1/namespaces/{ns}-x/secrets", {"metadata": {"name": "s"}}),
            ],
            [Step("DELETE", NAMESPACE)],
        ),
        {"namespace": NAMESPACE, "inside": INSIDE},
    ),
    "a namespace that is held up": Story(
        (
            [
                Step("POST", "/api/v1/namespaces", {"metadata": {"name": "{ns}-x"}}),
                Step("POST", INSIDE, cm(metadata={"name": "a", "finalizers": [*HELD, "example.org/other"]})),
                Step("POST", INSIDE, cm(metadata={"name": "b", "finalizers": HELD})),
                Step("POST", "/api/v1/namespaces/{ns}-x/secrets", {"metadata": {"name": "s", "finalizers": HELD}}),
            ],
            [Step("DELETE", NAMESPACE)],
            [Step("POST", INSIDE, cm("late"))],
            [freed("a", INSIDE), freed("b", INSIDE), freed("s", "/api/v1/namespaces/{ns}-x/secrets")],
        ),
        {"namespace": NAMESPACE, "inside": INSIDE},
    ),
    "a namespace with a pod": Story(
        (
            [
                Step("POST", "/api/v1/namespaces", {"metadata": {"name": "{ns}-x"}}),
                Step("POST", "/api/v1/namespaces/{ns}-x/pods", pod("p", nodeName="none")),
                Step("POST", INSIDE, cm()),
            ],
            # What comes after the pod's end comes too late on the real server: it looks again in a quarter of a minute.
            [Step("DELETE", NAMESPACE)],
        ),
        {"namespace": NAMESPACE, "inside": INSIDE},
    ),
    "a namespace with a finalizer of its own": Story(
        (
            [
                Step(
                    "POST",
                    "/api/v1/namespaces",
                    {"metadata": {"name": "{ns}-x"}, "spec": {"finalizers": ["example.org/x"]}},
                )
            ],
            [Step("DELETE", NAMESPACE)],
            [Step("PUT", f"{NAMESPACE}/finalize", {"metadata": {"name": "{ns}-x"}, "spec": {"finalizers": []}})],
        ),
        {"namespace": NAMESPACE},
    ),
    "what every namespace has": Story(
        (
            [],
            [
                Step("DELETE", f"{CM}/kube-root-ca.crt"),
                Step("DELETE", "/api/v1/namespaces/{ns}/serviceaccounts/default"),
            ],
            [Step("PATCH", f"{CM}/kube-root-ca.crt", {"data": {"ca.crt": "forged", "more": "x"}}, type=MERGE)],
        ),
        {"account": "/api/v1/namespaces/{ns}/serviceaccounts/default", "authority": f"{CM}/kube-root-ca.crt"},
    ),
    "roles that are sums": Story(
        (
            [
                Step(
                    "POST",
                    ROLES,
                    {
                        "metadata": {"name": "{ns}-sum"},
                        "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"sum": "{ns}"}}]},
                        "rules": [{"apiGroups": ["lost"], "resources": ["x"], "verbs": ["get"]}],
                    },
                ),
                Step(
                    "POST",
                    ROLES,
                    {
                        "metadata": {"name": "{ns}-part", "labels": {"sum": "{ns}"}},
                        "rules": [{"apiGroups": ["a"], "resources": ["x"], "verbs": ["get", "list"]}],
                    },
                ),
            ],
            [Step("PATCH", f"{ROLES}/{{ns}}-part", {"metadata": {"labels": {"sum": None}}}, type=MERGE)],
        ),
        {"sum": f"{ROLES}/{{ns}}-sum"},
    ),
    "tokens of accounts": Story(
        (
            [
                account("robot"),
                for_token("tok", "robot", data={"mine": "bWluZQ=="}),
                for_token("frozen", "robot", immutable=True),
            ],
            [patched(f"{SECRETS}/tok", {"data": {"token": None, "namespace": "", "ca.crt": "Zm9yZ2Vk"}})],
            [patched(f"{SECRETS}/tok", {"data": {"token": "b3RoZXI=", "namespace": "b3RoZXI="}})],
            [patched(f"{SECRETS}/tok", {"metadata": {"annotations": {"kubernetes.io/service-account.uid": None}}})],
            [patched(f"{ACCOUNTS}/robot", {"automountServiceAccountToken": False})],
        ),
        {"secrets": SECRETS, "account": f"{ACCOUNTS}/robot"},
    ),
    "tokens of accounts that go": Story(
        (
            [
                account("robot"),
                account("other"),
                for_token("a", "robot"),
                for_token("b", "robot"),
                for_token("c", "other"),
            ],
            [Step("DELETE", f"{ACCOUNTS}/robot")],
            [account("robot"), for_token("new", "robot")],
        ),
        {"secrets": SECRETS},
    ),
    "tokens of accounts that are not there": Story(
        (
            [account("robot"), for_token("a", "nobody"), for_token("b", "robot", uid=str(_STRANGER["uid"]))],
            [for_token("c", "robot")],
            [patched(f"{SECRETS}/c", {"metadata": {"annotations": {"kubernetes.io/service-account.name": "default"}}})],
        ),
        {"secrets": SECRETS},
    ),
    "an account that lists its tokens": Story(
        (
            [
                account("robot", secrets=[{"name": "tok"}, {"name": "lost"}, {"name": "plain"}]),
                for_token("tok", "robot"),
                Step("POST", SECRETS, {"metadata": {"name": "plain"}}),
            ],
            [Step("DELETE", f"{SECRETS}/tok"), Step("DELETE", f"{SECRETS}/plain")],
        ),
        {"account": f"{ACCOUNTS}/robot", "secrets": SECRETS},
    ),
}
