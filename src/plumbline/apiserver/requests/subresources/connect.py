"""exec, attach and port-forward: who may, and what webhooks say to it, before it turns out that nothing runs here."""

from collections.abc import Callable, Mapping
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.rbac.attributes import Attributes as Wish
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.requests.dispatch import Serve
from plumbline.apiserver.requests.routes import Route
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Key
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject

_FLAGS: Final = ("stdin", "stdout", "stderr", "tty")
_KINDS: Final = {"exec": "PodExecOptions", "attach": "PodAttachOptions", "portforward": "PodPortForwardOptions"}
_NODES: Final = Collection("", "nodes")

Refuse = Callable[[str, str, str, Call], RequestRefused]
"""What a node says, of a pod by namespace and name, to one of the subresources."""


def connect_subresources(authorizer: Authorizer, refuse: Refuse) -> Mapping[tuple[str, str], Serve]:
    return {("pods", name): _serve(authorizer, refuse, name) for name in _KINDS}


def _serve(authorizer: Authorizer, refuse: Refuse, name: str) -> Serve:
    async def serve(context: Context, scope: Scope, call: Call, route: Route) -> Answer:
        attributes = Attributes(scope, Operation.CONNECT, _options(call, name))
        options = await context.admission.mutated(attributes)
        await context.admission.check(Attributes(scope, Operation.CONNECT, options))
        _authorize(authorizer, scope, route)
        _check_node(context, scope)
        raise refuse(scope.namespace, scope.name, name, call)

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
    return any(value.lower() not in ("false", "0") for value in call.parameters.get(flag, ())[:1])


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


def _check_node(context: Context, scope: Scope) -> None:
    pod = context.store.get(scope.key())
    node = str((pod.object().get("spec") or {}).get("nodeName") or "") if pod else ""
    if node and context.store.get(Key(_NODES, "", node)) is None:
        raise statuses.not_found("", "pods", node)  # the real server, too, calls the node a pod here
