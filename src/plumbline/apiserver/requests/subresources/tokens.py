"""Tokens of service accounts."""

from plumbline.apiserver.authentication.tokenrequests import TokenIssuer
from plumbline.apiserver.calls import Answer, Call, answer_object
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.requests.bodies import raw_object
from plumbline.apiserver.requests.dispatch import Serve
from plumbline.apiserver.requests.options import write_options
from plumbline.apiserver.requests.routes import Route


def serve_tokens(issuer: TokenIssuer) -> Serve:
    async def serve(_: Context, scope: Scope, call: Call, __: Route) -> Answer:
        write_options(call, "CreateOptions")
        return answer_object(issuer.issue(scope.namespace, scope.name, raw_object(call)), 201)

    return serve
