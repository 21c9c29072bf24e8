"""JSON patch, merge patch and strategic merge patch on documents and directives that no sane client sends.

The matrix compares sane ones. Here the real server also tells which ones are refused, and with which words.
"""

import pytest

from plumbline.base.errors import PlumblineError
from plumbline.base.json import Json, JsonObject

from .differential.dice import Dice
from .differential.normaliser import Difference, compare
from .differential.oracle import Oracle
from .differential.plan import SEEDS
from .differential.subjects.custom import SPROCKET
from .differential.subjects.plain import SERVICE, SERVICE_ACCOUNT
from .differential.subjects.pods import container
from .differential.subjects.subject import Subject
from .differential.subjects.workloads import DEPLOYMENT
from .real import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, Answer, RealCluster

pytestmark = pytest.mark.conformance

_KEYS = ("a", "b", "c/d", "e~f", "", "0")
_SCALARS: tuple[Json, ...] = (0, 1, -7, 2.5, True, False, None, "", "text", "0")
_PATCHES_PER_SEED = 60


def _value(dice: Dice, depth: int = 3) -> Json:
    if depth and dice.chance(0.3):
        return {dice.pick(_KEYS): _value(dice, depth - 1) for _ in range(dice.below(4))}
    if depth and dice.chance(0.3):
        return [_value(dice, depth - 1) for _ in range(dice.below(4))]
    return dice.pick(_SCALARS)


def _document(dice: Dice) -> JsonObject:
    return {key: _value(dice, 4) for key in dice.shuffled(_KEYS)[: 1 + dice.below(len(_KEYS))]}


def _pointers(node: Json, at: str) -> list[str]:
    found = [at]
    if isinstance(node, dict):
        for key, value in node.items():
            found += _pointers(value, f"{at}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(node, list):
        for n, value in enumerate(node):
            found += _pointers(value, f"{at}/{n}")
    return found


def _pointer(node: Json, dice: Dice) -> str:
    """Mostly a place that is there, sometimes one beside it."""
    there = _pointers(node, "/free")[1:]
    at = dice.pick(there) if there else "/free/a"
    if dice.chance(0.25):
        return f"{at}/{dice.pick(('a', '0', '-', '-1', '1', '9', '00', 'x', '~2', ''))}"
    if dice.chance(0.15):
        return f"{at.rpartition('/')[0]}/{dice.pick(('-', '-1', '2', 'new', ''))}"
    return at


def _operations(document: JsonObject, dice: Dice) -> list[JsonObject]:
    operations = []
    for _ in range(1 + dice.below(3)):
        kind = dice.pick(("add", "remove", "replace", "move", "copy", "test"))
        operation: JsonObject = {"op": kind, "path": _pointer(document, dice)}
        if kind in {"move", "copy"}:
            operation["from"] = _pointer(document, dice)
        elif kind != "remove" and not dice.chance(0.03):
            operation["value"] = _value(dice, 2)
        operations.append(operation)
    return operations


_UNSAID = "the server rejected our request due to an error in our request"
"""All that the server says about a JSON patch that does not fit its object."""


def _disagreement(oracle: Oracle, live: JsonObject, patch: Json, how: str, answer: Answer) -> list[Difference]:
    try:
        ours = oracle.patched(live, patch, how)
    except PlumblineError as error:
        refusal = "it is taken" if answer.fine else answer.body["message"]
        return [] if refusal in {_UNSAID, str(error)} else [Difference("refusal", str(error), refusal)]
    found: list[Difference] = []
    if answer.fine:
        compare("", {**ours, "metadata": {}}, {**answer.body, "metadata": {}}, found)
    elif answer.status != 422 or answer.body["message"] == _UNSAID:
        # Any other 422 is about the object that comes out, which is not the patch's business.
        found.append(Difference("refusal", ours, answer.body["message"]))
    return found


@pytest.fixture
def sprocket(real_cluster, matrix_namespace):
    return Oracle(real_cluster, SPROCKET, matrix_namespace)


@pytest.mark.parametrize("how", [JSON_PATCH, MERGE_PATCH], ids=["json", "merge"])
@pytest.mark.parametrize("seed", SEEDS, ids=[f"seed-{seed}" for seed in SEEDS])
def test_random_patches_of_random_documents(real_cluster: RealCluster, sprocket, how, seed):
    dice = Dice(seed)
    name = f"patched-{how.partition('/')[2][:4]}-{seed}"
    identity = SPROCKET.identity("", name)
    live = real_cluster.post(sprocket.collection, {**identity, "free": _document(dice)}).body
    path = f"{sprocket.collection}/{name}"
    wrong, succeeded = [], 0
    for _ in range(_PATCHES_PER_SEED):
        patch: Json = _operations(live.get("free") or {}, dice) if how == JSON_PATCH else {"free": _document(dice)}
        answer = real_cluster.patch(path, patch, how)
        wrong += [(patch, live.get("free"), one) for one in _disagreement(sprocket, live, patch, how, answer)]
        succeeded += answer.fine
        live = answer.body if answer.fine else live
        if not live.get("free") or dice.chance(0.1):
            live = real_cluster.put(path, {**live, "free": _document(dice)}).body
    told = "\n".join(f"{patch}\n  of {document}\n  {one}" for patch, document, one in wrong[:5])
    assert not wrong, (
        f'{len(wrong)} differ; replay: pytest tests/conformance -k "random_patches and seed-{seed}"\n{told}'
    )
    assert succeeded


_WEB = {"$patch": "delete", "name": "web"}
_PROXY = container("proxy")


def _pods(**spec: Json) -> JsonObject:
    return {"spec": {"template": {"spec": spec}}}


STRATEGIC: list[tuple[Subject, JsonObject, str]] = [
    (DEPLOYMENT, _pods(containers=[{"name": "web", "image": "other"}]), "an item is merged by its key"),
    (DEPLOYMENT, _pods(containers=[_PROXY]), "a new item goes in front"),
    (DEPLOYMENT, _pods(containers=[_PROXY, _WEB]), "an item is deleted"),
    (DEPLOYMENT, _pods(containers=[_WEB, _PROXY]), "an item is deleted before another is added"),
    (DEPLOYMENT, _pods(containers=[{"$patch": "replace"}, _PROXY]), "a list is replaced"),
    (DEPLOYMENT, _pods(containers=[_PROXY, {"$patch": "replace"}]), "a list is replaced, said at the end"),
    (DEPLOYMENT, _pods(containers=[{"$patch": "merge", **_PROXY}]), "merge cannot be said"),
    (DEPLOYMENT, _pods(containers=[{"$patch": "frobnicate", "name": "web"}]), "an unknown directive in a list"),
    (DEPLOYMENT, _pods(containers=[{"$patch": "delete", "name": "nobody"}, _PROXY]), "deleting what is not there"),
    (DEPLOYMENT, _pods(containers=[{"$patch": "delete"}]), "deleting without a key"),
    (DEPLOYMENT, _pods(containers=[{"image": "x"}]), "an item without a key"),
    (DEPLOYMENT, _pods(containers=["text"]), "text for an item"),
    (DEPLOYMENT, _pods(containers="text"), "text for a list"),
    (DEPLOYMENT, _pods(containers=[[_PROXY]]), "a list in a list"),
    (DEPLOYMENT, _pods(containers=None), "null for a required list"),
    (DEPLOYMENT, _pods(volumes=None), "null for a list"),
    (DEPLOYMENT, _pods(volumes=[]), "an empty list merges nothing"),
    (DEPLOYMENT, _pods(volumes=[{"name": "scratch", "emptyDir": None, "hostPath": {"path": "/x", "type": ""}}]),
     "a union changes its member"),
    (DEPLOYMENT, _pods(volumes=[{"$retainKeys": ["name", "hostPath"], "name": "scratch", "hostPath": {"path": "/x", "type": ""}}]),
     "retained keys drop the others"),
    (DEPLOYMENT, _pods(volumes=[{"$retainKeys": ["name"], "name": "scratch", "emptyDir": {"medium": "Memory"}}]),
     "retained keys that the patch contradicts"),
    (DEPLOYMENT, _pods(volumes=[{"$retainKeys": "name", "name": "scratch"}]), "retained keys that are no list"),
    (DEPLOYMENT, {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}, "a strategy without its former part"),
    (DEPLOYMENT, {"spec": {"strategy": {"$patch": "replace", "type": "Recreate"}}}, "a record is replaced"),
    (DEPLOYMENT, {"spec": {"strategy": {"type": "Recreate", "rollingUpdate": None}}}, "a record loses a field"),
    (DEPLOYMENT, {"metadata": {"labels": {"$patch": "delete"}}}, "a map is deleted"),
    (DEPLOYMENT, {"metadata": {"labels": {"$patch": "replace", "a": "b"}}}, "a map is replaced"),
    (DEPLOYMENT, {"metadata": {"labels": {"$patch": "merge", "a": "b"}}}, "a map is merged, said aloud"),
    (DEPLOYMENT, {"metadata": {"labels": {"$patch": "what", "a": "b"}}}, "an unknown directive in a map"),
    (DEPLOYMENT, {"metadata": {"labels": {"$patch": 1}}}, "a directive that is no text"),
    (DEPLOYMENT, {"metadata": {"finalizers": ["a.org/x"]}}, "a member is added"),
    (DEPLOYMENT, {"metadata": {"finalizers": ["a.org/kept", "a.org/x"]}}, "a member that is there already"),
    (DEPLOYMENT, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a.org/kept"]}}, "a member is removed"),
    (DEPLOYMENT, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a.org/none"]}}, "no member is removed"),
    (DEPLOYMENT, {"metadata": {"$deleteFromPrimitiveList/finalizers": "a.org/kept"}}, "text to remove members by"),
    (DEPLOYMENT, {"metadata": {"$setElementOrder/finalizers": ["a.org/x", "a.org/kept"], "finalizers": ["a.org/x"]}},
     "members are ordered"),
    (DEPLOYMENT, {"metadata": {"$setElementOrder/finalizers": ["a.org/kept"], "finalizers": ["a.org/x"]}},
     "members are ordered without one of the patch"),
    (DEPLOYMENT, _pods(**{"$setElementOrder/containers": [{"name": "proxy"}, {"name": "web"}], "containers": [_PROXY]}),
     "items are ordered"),
    (DEPLOYMENT, _pods(**{"$setElementOrder/containers": [{"name": "web"}, {"name": "proxy"}], "containers": [_PROXY]}),
     "items are ordered the other way"),
    (DEPLOYMENT, _pods(**{"$setElementOrder/containers": [{"name": "web"}], "containers": [_PROXY]}),
     "items are ordered without one of the patch"),
    (DEPLOYMENT, _pods(**{"$setElementOrder/containers": [{"name": "log"}, {"name": "web"}, {"name": "proxy"}],
                          "containers": [_PROXY, container("log")]}), "items stand in another order than ordered"),
    (DEPLOYMENT, _pods(**{"$setElementOrder/containers": [{"name": "proxy"}], "containers": [{"$patch": "replace"}, _PROXY]}),
     "a replaced list is ordered"),
    (DEPLOYMENT, _pods(**{"$setElementOrder/containers": [{"name": "web"}, {"name": "proxy"}],
                          "containers": [{"$patch": "replace"}, _PROXY, container("web")]}),
     "a replaced list is ordered the other way"),
    (DEPLOYMENT, _pods(**{"$setElementOrder/containers": [{"name": "proxy"}], "containers": [_PROXY, _WEB]}),
     "items are ordered while one goes"),
    (DEPLOYMENT, _pods(**{"$setElementOrder/containers": [{"name": "nobody"}]}), "an order alone"),
    (DEPLOYMENT, _pods(**{"$setElementOrder/containers": "web"}), "an order that is no list"),
    (DEPLOYMENT, _pods(**{"$setElementOrder/containers": [{"image": "web"}]}), "an order without keys"),
    (DEPLOYMENT, _pods(**{"$setElementOrder/nothing": [{"name": "web"}]}), "an order of an unknown list"),
    (DEPLOYMENT, _pods(tolerations=[{"key": "x", "operator": "Exists"}]), "an atomic list is replaced"),
    (DEPLOYMENT, _pods(nodeSelector={"a": "b"}), "an atomic map is merged all the same"),
    (DEPLOYMENT, {"spec": {"selector": {"matchLabels": {"app": "web"}}}}, "an atomic record is merged all the same"),
    (DEPLOYMENT, _pods(containers=[{"name": "web", "env": [{"name": "A", "value": None, "valueFrom": {"fieldRef": {
        "apiVersion": "v1", "fieldPath": "metadata.name"}}}]}]), "an item of an item changes sides"),
    (DEPLOYMENT, _pods(containers=[{"name": "web", "env": [{"name": "A", "$patch": "delete"}]}]), "an item of an item goes"),
    (DEPLOYMENT, _pods(containers=[{"name": "web", "env": None}]), "a list of an item goes"),
    (DEPLOYMENT, _pods(containers=[{"name": "web", "ports": [{"containerPort": 80, "name": "http", "protocol": "TCP"}]}]),
     "a port is added"),
    (DEPLOYMENT, {"spec": None}, "null for spec"),
    (DEPLOYMENT, {"spec": "text"}, "text for a record"),
    (DEPLOYMENT, {"unknown": {"a": 1}}, "an unknown field"),
    (DEPLOYMENT, {"spec": {"unknown": [1]}}, "an unknown list"),
    (DEPLOYMENT, {"spec": {"template": {"unknown": {"$patch": "replace"}}}}, "a directive in the unknown"),
    (SERVICE, {"spec": {"ports": [{"port": 8080, "protocol": "UDP", "name": "also", "targetPort": 1}]}},
     "ports are told apart by number alone"),
    (SERVICE, {"spec": {"ports": [{"port": 8080, "$patch": "delete"}, {"port": 81, "name": "b", "protocol": "TCP", "targetPort": 81}]}},
     "a port is exchanged"),
    (SERVICE, {"spec": {"selector": {"app": None, "tier": "x"}}}, "a key of a map goes"),
    (SERVICE, {"spec": {"externalIPs": ["192.0.2.1"]}}, "a list without a strategy is replaced"),
    (SERVICE_ACCOUNT, {"secrets": [{"name": "b"}]}, "an item is added at the top level"),
    (SERVICE_ACCOUNT, {"secrets": [{"name": "a", "$patch": "delete"}]}, "the last item goes"),
    (SERVICE_ACCOUNT, {"imagePullSecrets": [{"name": "b"}]}, "an atomic list of records is replaced"),
]  # fmt: skip


@pytest.mark.parametrize(("subject", "patch", "why"), STRATEGIC, ids=[row[2] for row in STRATEGIC])
def test_a_strategic_patch(real_cluster: RealCluster, namespace, subject, patch, why):
    oracle = Oracle(real_cluster, subject, namespace)
    body = subject.made(namespace, "patched", Dice(STRATEGIC.index((subject, patch, why))))
    body["metadata"]["finalizers"] = ["a.org/kept"]
    if subject is SERVICE_ACCOUNT:
        body = {**body, "secrets": [{"name": "a"}], "imagePullSecrets": [{"name": "a"}]}
    live = real_cluster.post(oracle.collection, body).body
    verdict = oracle.patch(live, patch, STRATEGIC_PATCH, "patcher")
    if verdict.answer.fine:
        assert not verdict.wrong
    else:
        assert not _disagreement(oracle, live, patch, STRATEGIC_PATCH, verdict.answer)
