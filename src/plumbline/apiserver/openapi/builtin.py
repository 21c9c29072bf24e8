"""The operations of built-in resources."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.openapi import operations as ops
from plumbline.apiserver.openapi import parameters as params
from plumbline.apiserver.openapi.names import META, definition_name, operation_id, tag, with_article
from plumbline.apiserver.openapi.operations import Body, Operation
from plumbline.apiserver.openapi.parameters import Parameter, name_of, parameters
from plumbline.apiserver.resources.resource import Resource, Subresource
from plumbline.kube.names import GroupVersion, GroupVersionKind

_PATCH: Final = Body(f"{META}Patch")
_OPTIONS: Final = Body(f"{META}DeleteOptions", required=False)
_STATUS: Final = f"{META}Status"
_EVENT: Final = f"{META}WatchEvent"
_INSTEAD: Final = ". deprecated: use the 'watch' parameter with a list operation instead"
_PROXY_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch")
_STREAM_METHODS: Final = ("get", "post")
_ANSWERING_WITH_THE_DELETED: Final = """
    persistentvolumeclaims persistentvolumes pods podtemplates resourcequotas serviceaccounts services
    deviceclasses.resource.k8s.io resourceclaims.resource.k8s.io resourceclaimtemplates.resource.k8s.io
    resourceslices.resource.k8s.io csidrivers.storage.k8s.io csinodes.storage.k8s.io storageclasses.storage.k8s.io
    volumeattachments.storage.k8s.io volumeattributesclasses.storage.k8s.io
"""


def builtin_operations(resource: Resource) -> Iterator[Operation]:
    yield from _Collection(resource).operations()
    for each in resource.subresources.values():
        yield from _Below(resource, each).operations()


class _Place:
    """Where a resource (or a subresource of it) is reached, and what its operations have in common."""

    def __init__(self, resource: Resource, kind: GroupVersionKind, suffix: str = "") -> None:
        self.resource = resource
        self.kind = kind
        self.definition = definition_name(kind, custom=False)
        self.version = GroupVersion(*resource.kind[:2])
        self.noun = resource.kind.kind
        self.scope = "Namespaced" if resource.namespaced else ""
        inner = "namespaces/{namespace}/" if resource.namespaced else ""
        self.collection = f"{inner}{resource.plural}"
        self.item = f"{self.collection}/{{name}}{suffix}"
        self._namespace = (params.NAMESPACE,) if resource.namespaced else ()
        self._title = suffix.removeprefix("/").capitalize()

    def operation(  # noqa: PLR0913 - the parts of an operation that differ
        self,
        action: str,
        method: str,
        verb: str,
        description: str,
        *,
        answers: str = "",
        query: str = "",
        named: bool = True,
        body: Body | None = None,
        statuses: tuple[int, ...] = ops.OK,
    ) -> Operation:
        path = self.item if named else self.collection
        taken = (*parameters(f"pretty {query}"), *self.path_parameters(named=named))
        rest = verb[len("delete") :].capitalize() if verb == "deletecollection" else ""
        return Operation(
            method=method,
            path=f"{self.resource.name.root}/{path}",
            id=operation_id(
                verb.removesuffix("collection"), self.version, f"{rest}{self.scope}{self.noun}{self._title}"
            ),
            tag=tag(self.version),
            description=description,
            answers=answers or self.definition,
            statuses=statuses,
            parameters=taken,
            body=body,
            action=action,
            kind=self.kind,
        )

    def path_parameters(self, *, named: bool) -> tuple[Parameter, ...]:
        return (*self._namespace, name_of(self.kind.kind)) if named else self._namespace

    def replace(self, of: str = "") -> Operation:
        body = Body(self.definition)
        description = f"replace {of}the specified {self.noun}"
        return self.operation(
            "put", "put", "replace", description, query=params.WRITE, body=body, statuses=ops.REPLACED
        )

    def patch(self, of: str = "") -> Operation:
        description = f"partially update {of}the specified {self.noun}"
        made = self.operation(
            "patch", "patch", "patch", description, query=params.PATCH, body=_PATCH, statuses=ops.REPLACED
        )
        return made._replace(consumes=ops.PATCHES)

    def create(self, of: str = "", *, named: bool) -> Operation:
        body = Body(self.definition)
        description = f"create {of}{with_article(self.noun)}"
        return self.operation(
            "post", "post", "create", description, query=params.WRITE, named=named, body=body, statuses=ops.CREATED
        )


class _Collection(_Place):
    def __init__(self, resource: Resource) -> None:
        super().__init__(resource, resource.kind)
        self._list = definition_name(resource.kind._replace(kind=resource.list_kind), custom=False)

    def operations(self) -> Iterator[Operation]:
        verbs = self.resource.verbs
        if "list" in verbs:
            yield from self._everywhere(self._listing())
        if "create" in verbs:
            yield self.create(named=False)
        if "deletecollection" in verbs:
            yield self._delete_collection()
        if "get" in verbs:
            yield self.operation("get", "get", "read", f"read the specified {self.noun}")
        if "update" in verbs:
            yield self.replace()
        if "patch" in verbs:
            yield self.patch()
        if "delete" in verbs:
            yield self._delete()
        if "watch" in verbs:
            yield from self._everywhere(self._watch_list())
            yield self._watch()

    def _everywhere(self, operation: Operation) -> Iterator[Operation]:
        """The same for one namespace and, without it, for all of them."""
        yield operation
        if self.resource.namespaced:
            yield operation._replace(
                id=f"{operation.id.replace(self.scope, '', 1)}ForAllNamespaces",
                path=operation.path.replace("namespaces/{namespace}/", ""),
                parameters=tuple(each for each in operation.parameters if each != params.NAMESPACE),
            )

    def _listing(self) -> Operation:
        verb = "list or watch" if "watch" in self.resource.verbs else "list"
        description = f"{verb} objects of kind {self.noun}"
        made = self.operation("list", "get", "list", description, answers=self._list, query=params.LIST, named=False)
        return made._replace(produces=ops.STREAMS)

    def _delete(self) -> Operation:
        description = f"delete {with_article(self.noun)}"
        itself = str(self.resource.name) in _ANSWERING_WITH_THE_DELETED.split()
        answers = self.definition if itself else _STATUS
        return self.operation(
            "delete",
            "delete",
            "delete",
            description,
            answers=answers,
            query=params.DELETE,
            body=_OPTIONS,
            statuses=ops.DELETED,
        )

    def _delete_collection(self) -> Operation:
        description = f"delete collection of {self.noun}"
        query = params.DELETE_COLLECTION
        verb = "deletecollection"
        return self.operation(
            verb, "delete", verb, description, answers=_STATUS, query=query, named=False, body=_OPTIONS
        )

    def _watch(self) -> Operation:
        description = (
            f"watch changes to an object of kind {self.noun}{_INSTEAD}, "
            "filtered to a single item with the 'fieldSelector' parameter."
        )
        return self._watching(self.operation("watch", "get", "watch", description, answers=_EVENT, query=params.LIST))

    def _watch_list(self) -> Operation:
        description = f"watch individual changes to a list of {self.noun}{_INSTEAD}."
        made = self.operation("watchlist", "get", "watch", description, answers=_EVENT, query=params.LIST, named=False)
        return self._watching(made._replace(id=f"{made.id}List"))

    def _watching(self, operation: Operation) -> Operation:
        root = self.resource.name.root
        path = f"{root}/watch{operation.path.removeprefix(root)}"
        return operation._replace(path=path, produces=ops.STREAMS)


class _Below(_Place):
    def __init__(self, resource: Resource, below: Subresource) -> None:
        super().__init__(resource, below.kind, f"/{below.name}")
        self._below = below

    def operations(self) -> Iterator[Operation]:
        below, of = self._below, f"{self._below.name} of "
        if below.kind.kind.endswith("ProxyOptions"):
            yield from self._proxied()
        elif below.kind.kind in params.CONNECT:
            yield from self._connected(_STREAM_METHODS, parameters(params.CONNECT[below.kind.kind]))
        elif below.name == "log":
            yield self._log()
        else:
            if "get" in below.verbs:
                yield self.operation("get", "get", "read", f"read {of}the specified {self.noun}")
            if "update" in below.verbs:
                yield self.replace(of)
            if "patch" in below.verbs:
                yield self.patch(of)
            if "create" in below.verbs:
                yield self.create(of, named=True)

    def _log(self) -> Operation:
        made = self.operation("get", "get", "read", f"read log of the specified {self.noun}", query=params.LOG)
        return made._replace(answers="", produces=("text/plain", *ops.OBJECTS))

    def _proxied(self) -> Iterator[Operation]:
        for each in self._connected(_PROXY_METHODS, (params.PROXIED,)):
            yield each
            yield each._replace(
                path=f"{each.path}/{{path}}", id=f"{each.id}WithPath", parameters=(*each.parameters, params.PATH)
            )

    def _connected(self, methods: tuple[str, ...], query: tuple[Parameter, ...]) -> Iterator[Operation]:
        for method in methods:
            description = f"connect {method.upper()} requests to {self._below.name} of {self.noun}"
            made = self.operation("connect", method, "connect", description)
            rest = f"{method.capitalize()}{self.scope}{self.noun}{self._below.name.capitalize()}"
            yield made._replace(
                id=operation_id("connect", self.version, rest),
                answers="",
                parameters=(*query, *self.path_parameters(named=True)),
                produces=ops.ANY,
            )
