"""What a kubelet would answer."""

from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.nodes import Nodes
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.requests.dispatch import Serve
from plumbline.apiserver.requests.routes import Route


def node_subresources(nodes: Nodes) -> dict[tuple[str, str], Serve]:
    async def log(_: Context, scope: Scope, call: Call, __: Route) -> Answer:
        return await nodes.serve_log(scope.namespace, scope.name, call)

    async def connect(_: Context, scope: Scope, call: Call, route: Route) -> Answer:
        raise nodes.refuse_connection(scope.namespace, scope.name, route.subresource, call)

    return {("pods", "log"): log} | {("pods", name): connect for name in ("exec", "attach", "portforward")}
