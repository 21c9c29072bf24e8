"""What a platform team offers, and how teams ask for it: the example platform's own manifests, delivered from Git."""

import base64
import shutil
from pathlib import Path

from plumbline.base.documents import load_documents
from plumbline.base.json import JsonObject, decode, encode

from .cloud import Cloud
from .installation import Desk, Installation, application

MANIFESTS = Path(__file__).parents[2] / "examples" / "platform" / "k8s-manifests"
SEEDED = "order-service-db"
_CLAIMS = "/apis/database.company.io/v1/namespaces/{}/postgresqlinstances/{}"


class Company:
    """A namespace for each team; the platform is everybody's."""

    def __init__(self, installation: Installation, desk: Desk) -> None:
        self.installation = installation
        self.desk = desk
        self.cloud = Cloud(installation.sandbox)

    def offer(self) -> None:
        """Deliver what can be asked for, and have it ready."""
        shutil.copytree(MANIFESTS / "infrastructure" / "platform", self.desk.folder / "platform", dirs_exist_ok=True)
        app = application("platform", namespace="crossplane-system")
        app["spec"]["source"]["directory"] = {"recurse": True}
        self.installation.apply(app)
        self.installation.synced("platform", self.desk.push())

    def deliver(self, team: str, *objects: JsonObject) -> str:
        """Push *objects*, and nothing else, as what *team* wants; the commit."""
        files = {each.name for each in (self.desk.folder / team).glob("*.json")}
        wanted = {f"{number}.json": encode(each).decode() for number, each in enumerate(objects)}
        gone: dict[str, str | None] = {f"{team}/{name}": None for name in files - wanted.keys()}
        commit = self.desk.push(gone | {f"{team}/{name}": text for name, text in wanted.items()})
        if self.installation.app(team) is None:
            self.installation.apply(application(team, namespace=team))
        return commit

    def claim(self, team: str, name: str) -> JsonObject | None:
        return self.installation.live(_CLAIMS.format(team, name))

    def live(self, obj: JsonObject) -> JsonObject | None:
        """As it is now."""
        metadata = obj["metadata"]
        place = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
        return self.installation.live(f"/apis/{obj['apiVersion']}{place}/{obj['kind'].lower()}s/{metadata['name']}")

    def managed(self, group: str, plural: str, **labels: str) -> list[JsonObject]:
        """Managed resources that carry *labels*, as in `claim_name="orders"`."""
        wanted = {f"crossplane.io/{key.replace('_', '-')}": value for key, value in labels.items()}
        listed = (self.installation.live(f"/apis/{group}/{plural}") or {}).get("items", ())
        return [each for each in listed if wanted.items() <= each["metadata"].get("labels", {}).items()]

    def secret(self, namespace: str, name: str) -> dict[str, str]:
        found = self.installation.live(f"/api/v1/namespaces/{namespace}/secrets/{name}") or {}
        return {key: base64.b64decode(value).decode() for key, value in (found.get("data") or {}).items()}

    def events(self, name: str) -> list[str]:
        """What was told about an object of any kind."""
        listed = self.installation.live("/api/v1/events")["items"]
        return [f"{each['reason']}: {each['message']}" for each in listed if each["involvedObject"]["name"] == name]


def seeded_claim(team: str, **spec: object) -> JsonObject:
    """The claim of the example, in the namespace of *team*, with *spec* as well."""
    path = MANIFESTS / "infrastructure" / "databases" / f"{SEEDED}.yaml"
    (document,) = load_documents(path.read_text(), source=path.name)
    claim: JsonObject = decode(encode(document.value))
    claim["metadata"]["namespace"] = claim["spec"]["writeConnectionSecretToRef"]["namespace"] = team
    claim["spec"] |= spec
    return claim


def deployment(name: str, secret: str, keys: tuple[str, ...] = ("endpoint",)) -> JsonObject:
    """One whose containers cannot start before there is a Secret."""
    environment = [{"name": key.upper(), "valueFrom": {"secretKeyRef": {"name": secret, "key": key}}} for key in keys]
    labels = {"app": name}
    container = {"name": "api", "image": "ghcr.io/company/order-service:1.4.0", "env": environment}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def condition(obj: JsonObject | None, type_: str) -> JsonObject:
    conditions = ((obj or {}).get("status") or {}).get("conditions", [])
    return next((each for each in conditions if each["type"] == type_), {})


def ready(obj: JsonObject | None) -> bool:
    return condition(obj, "Ready").get("status") == "True"
