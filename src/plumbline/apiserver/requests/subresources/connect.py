"""exec, attach and port-forward: what a cluster whose containers are only simulated answers to them."""

from collections.abc import Mapping
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.context import Context, missing
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.rbac.attributes import Attributes as Wish
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.requests.dispatch import Serve
from plumbline.apiserver.requests.routes import Route
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Key
from plumbline.base.errors import RequestRefused
from plumbline.base.json import Json, JsonObject

_FLAGS: Final = ("stdin", "stdout", "stderr", "tty")
_KINDS: Final = {"exec": "PodExecOptions", "attach": "PodAttachOptions", "portforward": "PodPortForwardOptions"}
_DONE: Final = {"exec": "no command can run in them", "attach": "nothing runs in them that could be attached to"}
_FORWARDED: Final = "nothing listens on their ports"
_CONTAINERS: Final = ("initContainers", "containers", "ephemeralContainers")
_NODES: Final = Collection("", "nodes")


def connect_subresources(authorizer: Authorizer) -> Mapping[tuple[str, str], Serve]:
    return {("pods", name): _serve(authorizer, name) for name in _KINDS}


def _serve(authorizer: Authorizer, name: str) -> Serve:
    async def serve(context: Context, scope: Scope, call: Call, route: Route) -> Answer:
        options = _options(call, name)
        attributes = Attributes(scope, Operation.CONNECT, options)
        options = await context.admission.mutated(attributes)
        await context.admission.check(Attributes(scope, Operation.CONNECT, options))
        _authorize(authorizer, scope, route)
        raise _refusal(context, scope, name, options)

    return serve


def _options(call: Call, name: str) -> JsonObject:
    """The parameters of the request, as the object that admission sees."""
    if call.parameters.get("dryRun"):
        raise statuses.bad_request("dryRun is not supported")
    options: JsonObject = {"kind": _KINDS[name], "apiVersion": "v1"}
    if name == "portforward":
        ports = [_port(value) for value in call.parameters.get("ports", ())]
        return {**options, "ports": ports} if ports else options
    options |= {flag: True for flag in _FLAGS if _is_set(call, flag)}
    if container := call.parameter("container"):
        options["container"] = container
    if name == "exec" and "command" in call.parameters:
        options["command"] = call.parameters["command"]
    return options


def _is_set(call: Call, flag: str) -> bool:
    values = call.parameters.get(flag)
    return bool(values) and values is not None and values[0].lower() not in ("false", "0")


def _port(value: str) -> int:
    try:
        return int(value)
    except ValueError:
        why = f'strconv.ParseInt: parsing "{value}": invalid syntax'
        raise statuses.bad_request(why) from None


def _authorize(authorizer: Authorizer, scope: Scope, route: Route) -> None:
    """A websocket can only be opened by GET; that is no reason to let those in who may only read."""
    if route.verb == "create" or scope.identity.master:
        return
    resource = scope.resource.kind.group, scope.resource.kind.version, scope.resource.plural, scope.subresource
    decision = authorizer.decide(Wish(scope.identity, "create", *resource, scope.namespace, scope.name))
    if not decision.allowed:
        raise statuses.forbidden(scope.resource.kind.group, scope.resource.plural, scope.name, decision.reason)


def _refusal(context: Context, scope: Scope, name: str, options: JsonObject) -> RequestRefused:
    entry = context.store.get(scope.key())
    if entry is None:
        return missing(scope)
    spec = entry.object().get("spec") or {}
    wrong = "" if name == "portforward" else _container_fault(spec, scope.name, str(options.get("container") or ""))
    if wrong:
        return statuses.bad_request(wrong)
    node = str(spec.get("nodeName") or "")
    if not node:
        return statuses.bad_request(f"pod {scope.name} does not have a host assigned")
    if context.store.get(Key(_NODES, "", node)) is None:
        return statuses.not_found("", "pods", node)  # the real server, too, calls the node a pod here
    return statuses.bad_request(f"containers of pod {scope.name} are simulated: {_DONE.get(name, _FORWARDED)}")


def _container_fault(spec: JsonObject, pod: str, container: str) -> str:
    names = [str(each.get("name")) for field in _CONTAINERS for each in _listed(spec, field)]
    if container:
        return "" if container in names else f"container {container} is not valid for pod {pod}"
    if len(_listed(spec, "containers")) > 1:
        return f"a container name must be specified for pod {pod}, choose one of: [{' '.join(names)}]"
    return ""


def _listed(spec: JsonObject, field: str) -> list[JsonObject]:
    value: Json = spec.get(field)
    return value if isinstance(value, list) else []
