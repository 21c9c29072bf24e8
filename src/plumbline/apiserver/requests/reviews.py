"""Questions that are asked by creating an object, which is answered and never stored."""

from collections.abc import Callable
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.authentication import reviews
from plumbline.apiserver.authentication.authenticator import Authenticator
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.requests.bodies import read_object
from plumbline.apiserver.requests.dispatch import Serve
from plumbline.apiserver.requests.options import write_options
from plumbline.apiserver.requests.replies import Replies
from plumbline.apiserver.requests.routes import Route
from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject

_AUTHENTICATION: Final = "authentication.k8s.io"
_AUTHORIZATION: Final = "authorization.k8s.io"

Respond = Callable[[JsonObject, Scope, Context], JsonObject]


def review_resources(authorizer: Authorizer, authenticator: Authenticator | None) -> dict[tuple[str, str], Serve]:
    """By group and plural."""
    responses: dict[tuple[str, str], Respond] = {
        (_AUTHORIZATION, "subjectaccessreviews"): lambda review, _, __: reviews.subject_access_review(
            review, authorizer
        ),
        (_AUTHORIZATION, "localsubjectaccessreviews"): lambda review, scope, _: reviews.local_subject_access_review(
            review, scope.namespace, authorizer
        ),
        (_AUTHORIZATION, "selfsubjectaccessreviews"): lambda review, scope, _: reviews.self_subject_access_review(
            review, scope.identity, authorizer
        ),
        (_AUTHORIZATION, "selfsubjectrulesreviews"): lambda review, scope, _: reviews.self_subject_rules_review(
            review, scope.identity, authorizer
        ),
        (_AUTHENTICATION, "selfsubjectreviews"): lambda _, scope, context: reviews.self_subject_review(
            scope.identity, rfc3339(context.clock.now())
        ),
        (_AUTHENTICATION, "tokenreviews"): lambda review, _, __: _token_review(review, authenticator),
    }
    return {place: _serving(respond) for place, respond in responses.items()}


def _serving(respond: Respond) -> Serve:
    async def serve(context: Context, scope: Scope, call: Call, _: Route) -> Answer:
        replies = Replies(call, scope.model, context.clock)
        options = write_options(call, "CreateOptions")
        review = read_object(call, scope.model, options.strictness)
        return replies.object(respond(review, scope, context), 201)

    return serve


def _token_review(review: JsonObject, authenticator: Authenticator | None) -> JsonObject:
    if authenticator is None:
        raise statuses.not_served()
    return authenticator.review(review)
