"""Scenes played on a server: its replies, and what it asked the webhooks, as goldens hold them."""

from collections.abc import Mapping
from pathlib import Path

from tests.apiserver.scripts import goldens
from tests.apiserver.scripts.normal import Normaliser, normalised
from tests.apiserver.scripts.steps import Server, Step, run
from tests.apiserver.webhooks.hookserver import Asked, HookServer
from tests.apiserver.webhooks.planes import collection, configuration, hook
from tests.apiserver.webhooks.scenes import SCENES, Scene

from plumbline.base.json import Json, JsonObject, decode, encode_sorted

GOLDEN = Path(__file__).parent / "scenes.json"
SPACES = {name: f"hooks-{number:03}" for number, name in enumerate(SCENES, 1)}
CONFIG_MAPS = [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["configmaps"]}]
_HEADERS = ("accept", "accept-encoding", "content-type", "host", "user-agent")
_AT = "127.0.0.1:(port)"


def set_scene(server: Server, name: str, hooks: HookServer) -> None:
    space = SPACES[name]
    steps = [Step("POST", "/api/v1/namespaces", {"metadata": {"name": space}})]
    selector = {"matchLabels": {"kubernetes.io/metadata.name": space}}
    for number, asks in enumerate(SCENES[name].hooks):
        client = {**hooks.client_config(asks.path), **asks.extra.get("clientConfig", {})}
        client = {field: value for field, value in client.items() if value is not None}
        extra = {"rules": CONFIG_MAPS, "namespaceSelector": selector, **asks.extra, "clientConfig": client}
        body = configuration(asks.sort, f"{space}-{number}", hook(f"h{number}.example.com", {}, **extra))
        steps.append(Step("POST", collection(asks.sort), body))
    for step, reply in zip(steps, run(server, steps, space), strict=True):
        assert reply.status == 201, (step.path, reply.body)


def played(server: Server, name: str, hooks: HookServer) -> JsonObject:
    """What is to be compared: `replies`, and `reviews` in the order of their paths."""
    scene, space = SCENES[name], SPACES[name]
    hooks.asked.clear()
    replies = normalised(scene.script, run(server, scene.script, space), space)
    asked = list(hooks.asked) if scene.counted else hooks.asked[:1]
    reviews = [_shown(each, space) if scene.reviewed else each.path for each in asked]
    return _settled({"replies": replies, "reviews": sorted(reviews, key=_path)}, hooks.url.removeprefix("https://"))


def disagreements(name: str, found: JsonObject, recorded: JsonObject) -> list[str]:
    scene = SCENES[name]
    wrong = goldens.disagreements(scene.script, found["replies"], recorded["replies"])
    paths = [[_path(each) for each in side["reviews"]] for side in (found, recorded)]
    if paths[0] != paths[1]:
        return [*wrong, f"asked: {paths[0]}, but recorded {paths[1]}"]
    if scene.reviewed:
        steps = [Step("POST", path) for path in paths[0]]
        wrong += goldens.disagreements(steps, found["reviews"], recorded["reviews"])
    return wrong


def load() -> Mapping[str, JsonObject]:
    return decode(GOLDEN.read_bytes())


def save(recorded: Mapping[str, JsonObject]) -> None:
    lines = [encode_sorted({name: recorded[name]})[1:-1] for name in SCENES]
    GOLDEN.write_bytes(b"{\n" + b",\n".join(lines) + b"\n}\n")


def _path(review: Json) -> str:
    """Validating webhooks are asked all at once, so that only their paths tell them apart."""
    return str(review["path"] if isinstance(review, dict) else review)


def _shown(asked: Asked, space: str) -> JsonObject:
    """A review as it can be compared: in the order of its fields, without what only one server can know."""
    review = decode(asked.body)
    request = review["request"]
    request["userInfo"] = {"groups": request["userInfo"]["groups"]}
    if request["kind"]["kind"] == "Scale":  # who owns a scale is the matter of another test
        for state in (request["object"], request["oldObject"]):
            state["metadata"].pop("managedFields", None)
    normaliser = Normaliser(space)
    normaliser.value(review)  # names that a server made are known once the object has been seen
    return {
        "status": 0,
        "path": asked.path,
        "query": asked.query,
        "headers": {name: asked.headers.get(name) for name in _HEADERS},
        "order": [list(review), list(request), *_orders(request)],
        "newline": asked.body.endswith(b"\n"),
        "body": normaliser.value(review),
    }


def _orders(request: Mapping[str, Json]) -> list[list[str]]:
    return [list(request[field]) for field in ("kind", "resource", "requestKind", "requestResource")]


def _settled(value: Json, address: str) -> Json:
    """Without the webhooks' port, and with managers in one order: theirs depends on when a second ended."""
    if isinstance(value, str):
        return value.replace(address, _AT)
    if isinstance(value, list):
        return [_settled(each, address) for each in value]
    if not isinstance(value, dict):
        return value
    shown = {name: _settled(each, address) for name, each in value.items()}
    if isinstance(shown.get("managedFields"), list):
        shown["managedFields"] = sorted(shown["managedFields"], key=str)
    return shown


__all__ = ["CONFIG_MAPS", "GOLDEN", "SPACES", "Scene", "disagreements", "load", "played", "save", "set_scene"]
