"""Which code carries out a request for a resource."""

from collections.abc import Awaitable, Callable, Mapping

from plumbline.access.identity import Identity
from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.requests import reading, writing
from plumbline.apiserver.requests.routes import Route
from plumbline.apiserver.resources.resource import Resource
from plumbline.base.errors import RequestRefused
from plumbline.kube.gotext import quoted

Serve = Callable[[Context, Scope, Call, Route], Awaitable[Answer]]

_READING = {"get": reading.get, "list": reading.list_, "watch": reading.watch}
_WRITING = {
    "create": writing.post,
    "update": writing.put,
    "patch": writing.patch,
    "delete": writing.remove,
    "deletecollection": writing.remove_collection,
}
_ON_OBJECTS = frozenset({"get", "update", "patch", "delete"})
_ACROSS_NAMESPACES = frozenset({"list", "watch"})
_READ = frozenset({"GET", "HEAD"})
_READ_BUILTIN = frozenset({"GET"})
_STILL_WRITTEN = frozenset({"patch", "update"})
"""A definition that goes is listed without them; its objects have to be written all the same, or none could let go."""
_NO_NAMES = frozenset({".", ".."})


class Dispatch:
    """Resources and subresources that are special are served by their own code; the others by the store's.

    *subresources* are by plural and name, `*` for every plural; *resources* by group and plural.
    """

    def __init__(
        self,
        context: Context,
        *,
        subresources: Mapping[tuple[str, str], Serve] | None = None,
        resources: Mapping[tuple[str, str], Serve] | None = None,
    ) -> None:
        self._context = context
        self._subresources = subresources or {}
        self._resources = resources or {}

    async def carry_out(self, model: Model, route: Route, call: Call, identity: Identity) -> Answer:
        _check_place(model.resource, route)
        if route.verb in _READING and call.method not in (_READ if model.resource.custom else _READ_BUILTIN):
            raise _not_allowed(model.resource, route)
        _check_names(model.resource, route)
        scope = Scope(model, identity, route.namespace, route.name, route.subresource, warnings=call.warnings)
        if model.deprecation:
            call.warnings.append(model.deprecation)
        serve = self._special(route)
        if serve is not None:
            return await serve(self._context, scope, call, route)
        if read := _READING.get(route.verb):
            return await read(self._context, scope, call)
        return await _WRITING[route.verb](self._context, scope, call)

    def _special(self, route: Route) -> Serve | None:
        if not route.subresource:
            return self._resources.get((route.group, route.resource))
        found = self._subresources.get((route.resource, route.subresource))
        return found or self._subresources.get(("*", route.subresource))


def _check_place(resource: Resource, route: Route) -> None:
    """Whether the path is one of the resource's, and takes the verb."""
    in_namespace = bool(route.namespace)
    if resource.plural == "namespaces" and not resource.kind.group:
        if in_namespace and route.namespace != route.name:
            raise statuses.not_served()
    elif in_namespace and not resource.namespaced:
        raise statuses.not_served()
    if route.subresource:
        _check_subresource(resource, route)
        return
    if route.verb not in _verbs_at(resource, route):
        if route.name and resource.namespaced and not in_namespace:
            raise statuses.not_served()
        raise _not_allowed(resource, route)


def _check_names(resource: Resource, route: Route) -> None:
    """Names that could not be a part of the path under which an object is stored."""
    if route.name in _NO_NAMES:
        raise statuses.bad_request(f"Name parameter invalid: {quoted(route.name)}: may not be '{route.name}'")
    if "%" in route.name:
        raise statuses.bad_request(f"Name parameter invalid: {quoted(route.name)}: may not contain '%'")
    if route.namespace in _NO_NAMES:
        key = f"/{resource.plural}/{route.namespace}/{route.name}"
        raise statuses.plain_failure(500, f"invalid key: {quoted(key)}")


def _check_subresource(resource: Resource, route: Route) -> None:
    found = resource.subresources.get(route.subresource)
    if found is None or (resource.namespaced and not route.namespace):
        raise statuses.not_served()
    if route.verb not in found.verbs and route.subresource != "proxy":
        raise _not_allowed(resource, route)  # a proxy passes on whatever method there is


def _not_allowed(resource: Resource, route: Route) -> RequestRefused:
    """Built-in resources have no such path; custom ones share one that looks at the verb itself."""
    if resource.custom:
        return statuses.unsupported_verb(resource.kind.group, resource.plural, route.verb)
    return statuses.method_not_allowed()


def _verbs_at(resource: Resource, route: Route) -> frozenset[str]:
    verbs = frozenset(resource.verbs)
    if resource.custom:
        verbs |= _STILL_WRITTEN
    if resource.namespaced and not route.namespace:
        return verbs & _ACROSS_NAMESPACES if not route.name else frozenset()
    if route.name:
        return verbs & (_ON_OBJECTS | {"watch"})
    return verbs - _ON_OBJECTS
