"""What containers wrote."""

from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.nodes import Nodes
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.requests.dispatch import Serve
from plumbline.apiserver.requests.routes import Route


def serve_logs(nodes: Nodes) -> Serve:
    async def serve(_: Context, scope: Scope, call: Call, __: Route) -> Answer:
        return await nodes.serve_log(scope.namespace, scope.name, call)

    return serve
