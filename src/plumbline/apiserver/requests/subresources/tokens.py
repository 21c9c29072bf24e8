"""Tokens of service accounts."""

from typing import Final

from plumbline.apiserver.authentication.tokenrequests import TokenIssuer
from plumbline.apiserver.calls import Answer, Call, answer_object
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.requests.bodies import read_kind
from plumbline.apiserver.requests.dispatch import Serve
from plumbline.apiserver.requests.options import write_options
from plumbline.apiserver.requests.routes import Route
from plumbline.kube.names import GroupVersionKind

KIND: Final = GroupVersionKind("authentication.k8s.io", "v1", "TokenRequest")


def serve_tokens(issuer: TokenIssuer) -> Serve:
    async def serve(_: Context, scope: Scope, call: Call, __: Route) -> Answer:
        options = write_options(call, "CreateOptions")
        asked = read_kind(call, KIND, options.strictness)
        return answer_object(issuer.issue(scope.namespace, scope.name, asked), 201)

    return serve
