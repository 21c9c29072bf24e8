"""Where a pipeline that runs without a cluster gets what functions ask for: from what was given. Pure."""

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import Function, Resource, SchemaSelector, Selector
from plumbline.composition.pipeline import Credential, Sources
from plumbline.composition.rendering.values import Engine, Inputs, fields
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupVersionKind


def sources(inputs: Inputs, engine: Engine, functions: Callable[[str], Function]) -> Sources:
    given = Given(inputs, engine)
    return Sources(functions, given.fetch, given.schema, given.secret)


class Given:
    def __init__(self, inputs: Inputs, engine: Engine) -> None:
        self._new = engine == "new"
        self._schemas = inputs.schemas
        self._secrets = inputs.secrets
        objects = list(inputs.required)
        if self._new:
            objects += [*inputs.observed, *inputs.secrets, inputs.composite]
            objects.sort(key=_place)
        elif engine == "old":
            objects.sort(key=lambda each: str(fields(each, "metadata").get("name", "")))
        self._objects = objects

    async def fetch(self, selector: Selector) -> Sequence[Resource]:
        found = [each for each in self._objects if self._selected(each, selector)]
        return tuple(Resource(each) for each in (found[:1] if selector.name else found))

    def _selected(self, obj: JsonObject, selector: Selector) -> bool:
        if (obj.get("apiVersion"), obj.get("kind")) != (selector.api_version, selector.kind):
            return False
        metadata = fields(obj, "metadata")
        if self._new and (selector.name or selector.namespace) and metadata.get("namespace", "") != selector.namespace:
            return False
        if selector.name:
            return bool(metadata.get("name") == selector.name)
        if selector.labels is None:
            return self._new
        return selector.labels.items() <= fields(metadata, "labels").items()

    async def schema(self, selector: SchemaSelector) -> JsonObject:
        gvk = GroupVersionKind.parse(selector.api_version, selector.kind)
        marked = {"group": gvk.group, "version": gvk.version, "kind": gvk.kind}
        for document in self._schemas:
            for schema in fields(document, "components", "schemas").values():
                if isinstance(schema, dict) and marked in (schema.get("x-kubernetes-group-version-kind") or ()):
                    return schema
        return {}

    async def secret(self, credential: Credential) -> Mapping[str, Plaintext]:
        found = secret_named(self._secrets, credential.secret_namespace, credential.secret_name)
        if found is None:
            raise NotFound(
                f"cannot get credentials from secret {quoted(credential.secret_name)}",
                why="it was not given",
                hint="Name a file that holds the Secret with --function-credentials.",
            )
        return details(found)


def secret_named(secrets: Sequence[JsonObject], namespace: str, name: str) -> JsonObject | None:
    for each in secrets:
        metadata = fields(each, "metadata")
        place = metadata.get("namespace") or "", metadata.get("name")
        if each.get("kind", "Secret") == "Secret" and place == (namespace, name):
            return each
    return None


def connection(obj: JsonObject, secrets: Sequence[JsonObject]) -> Mapping[str, Plaintext]:
    """The connection details that *obj* says it writes, where its Secret was given."""
    where = fields(obj, "spec", "writeConnectionSecretToRef")
    namespace = where.get("namespace") or fields(obj, "metadata").get("namespace") or ""
    found = secret_named(secrets, str(namespace), str(where.get("name") or "")) if where else None
    return {} if found is None else details(found)


def details(secret: JsonObject) -> Mapping[str, Plaintext]:
    """Its `data`, and its `stringData`, which an API server would have taken over. Raises InvalidInput."""
    try:
        decoded = {key: base64.b64decode(str(value), validate=True) for key, value in fields(secret, "data").items()}
    except binascii.Error:
        name = fields(secret, "metadata").get("name", "")
        raise InvalidInput(f"the Secret {name} cannot be read", why="its data is not base64") from None
    texts = {key: str(value).encode() for key, value in fields(secret, "stringData").items()}
    return {key: Plaintext(value) for key, value in {**decoded, **texts}.items()}


def _place(obj: JsonObject) -> str:
    metadata = fields(obj, "metadata")
    return f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
