"""Custom resources: their operations, and their schemas as each dialect can say them."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.openapi import operations as ops
from plumbline.apiserver.openapi import parameters as params
from plumbline.apiserver.openapi.definitions import Dialect
from plumbline.apiserver.openapi.names import META, definition_name, full_name, operation_id, tag, with_article
from plumbline.apiserver.openapi.operations import Body, Operation
from plumbline.apiserver.openapi.parameters import name_of, parameters
from plumbline.apiserver.openapi.published import Published
from plumbline.apiserver.openapi.structural import published_schema, type_meta
from plumbline.apiserver.resources.resource import Resource
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersion, GroupVersionKind

_FORMS: Final = (ops.JSON, ops.YAML)
_PATCHES: Final = tuple(each for each in ops.PATCHES if "strategic" not in each)
_STATUS: Final = f"{META}Status"
_SCALE: Final = full_name("autoscaling.v1.Scale")
_CONVENTIONS: Final = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"


def custom_definitions(published: Published, dialect: Dialect) -> Iterator[tuple[str, JsonObject]]:
    """The kind and its list, by name."""
    resource = published.resource
    itself = published_schema(published.schema, dialect)
    yield definition_name(resource.kind, custom=True), itself | _labels(published, resource.kind)
    list_kind = resource.kind._replace(kind=resource.list_kind)
    yield definition_name(list_kind, custom=True), _list(resource, dialect) | _labels(published, list_kind)


def _labels(published: Published, kind: GroupVersionKind) -> JsonObject:
    group, version, name = kind
    labels: JsonObject = {"x-kubernetes-group-version-kind": [{"group": group, "kind": name, "version": version}]}
    if published.selectable_fields:
        fields = [{"fieldPath": path.removeprefix(".")} for path in published.selectable_fields]
        labels["x-kubernetes-selectable-fields"] = fields
    return labels


def _list(resource: Resource, dialect: Dialect) -> JsonObject:
    item = dialect.refer(definition_name(resource.kind, custom=True))
    about = f"List of {resource.plural}. More info: {_CONVENTIONS}"
    return {
        "description": f"{resource.list_kind} is a list of {resource.kind.kind}",
        "type": "object",
        "required": ["items"],
        "properties": {
            **type_meta(dialect, "ListMeta"),
            "items": {"description": about, "type": "array", "items": item},
        },
    }


def custom_operations(resource: Resource) -> Iterator[Operation]:
    place = _Place(resource)
    yield from place.collection()
    yield from place.item()
    for name, answers in (("status", place.definition), ("scale", _SCALE)):
        if name in resource.subresources:
            yield from place.below(name, answers)


class _Place:
    def __init__(self, resource: Resource) -> None:
        self.definition = definition_name(resource.kind, custom=True)
        self._list = definition_name(resource.kind._replace(kind=resource.list_kind), custom=True)
        self._resource = resource
        self._noun = resource.kind.kind
        self._version = GroupVersion(*resource.kind[:2])
        scope = "namespaces/{namespace}/" if resource.namespaced else ""
        self._path = f"{resource.name.root}/{scope}{resource.plural}"
        self._prefix = "Namespaced" if resource.namespaced else ""
        self._namespace = (params.NAMESPACE,) if resource.namespaced else ()

    def collection(self) -> Iterator[Operation]:
        resource = self._resource
        listing = self._operation("get", "list", f"list objects of kind {self._noun}", self._list, params.LIST)
        if resource.namespaced:
            yield listing._replace(
                path=f"{resource.name.root}/{resource.plural}",
                id=operation_id("list", self._version, f"{self._noun}ForAllNamespaces"),
                parameters=parameters(f"pretty {params.LIST}"),
            )
        yield listing
        made = self._operation("post", "create", f"create {with_article(self._noun)}", self.definition, params.WRITE)
        yield made._replace(action="post", statuses=ops.CREATED, body=Body(self.definition))
        deleted = self._operation("delete", "delete", f"delete collection of {self._noun}", _STATUS, params.LIST)
        rest = f"Collection{self._prefix}{self._noun}"
        yield deleted._replace(action="deletecollection", id=operation_id("delete", self._version, rest))

    def item(self) -> Iterator[Operation]:
        yield from self._changes("", "", self.definition)
        made = self._operation(
            "delete", "delete", f"delete {with_article(self._noun)}", _STATUS, params.DELETE, suffix="/{name}"
        )
        yield made._replace(statuses=ops.DELETED, body=Body(f"{META}DeleteOptions", required=False))

    def below(self, name: str, answers: str) -> Iterator[Operation]:
        yield from self._changes(f"/{name}", f"{name} of ", answers)

    def _changes(self, suffix: str, of: str, answers: str) -> Iterator[Operation]:
        end = f"/{{name}}{suffix}"
        read = f"read {of}the specified {self._noun}"
        yield self._operation("get", "read", read, answers, "resourceVersion", suffix=end)._replace(action="get")
        replace = f"replace {of}the specified {self._noun}"
        put = self._operation("put", "replace", replace, answers, params.WRITE, suffix=end)
        yield put._replace(action="put", statuses=ops.REPLACED, body=Body(answers))
        update = f"partially update {of}the specified {self._noun}"
        patch = self._operation("patch", "patch", update, answers, params.PATCH, suffix=end)
        yield patch._replace(consumes=_PATCHES, body=Body(f"{META}Patch"))

    def _operation(
        self, method: str, verb: str, description: str, answers: str, query: str, *, suffix: str = ""
    ) -> Operation:
        named = (name_of(self._noun),) if suffix else ()
        title = suffix.removeprefix("/{name}").removeprefix("/").capitalize()
        return Operation(
            method=method,
            path=self._path + suffix,
            id=operation_id(verb, self._version, f"{self._prefix}{self._noun}{title}"),
            tag=tag(self._version),
            description=description,
            answers=answers,
            parameters=(*parameters(f"pretty {query}"), *self._namespace, *named),
            consumes=_FORMS,
            produces=_FORMS,
            action=verb,
            kind=self._resource.kind,
        )
