"""GET: one object, a list, or a watch."""

import msgspec

from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.objects.context import Context, missing
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.requests.listing import page
from plumbline.apiserver.requests.options import ListOptions, list_options
from plumbline.apiserver.requests.replies import Replies
from plumbline.apiserver.requests.versions import check_not_future, revision_of
from plumbline.apiserver.requests.views import View
from plumbline.apiserver.requests.watching import Watch


async def get(context: Context, scope: Scope, call: Call) -> Answer:
    replies = Replies(call, scope.model, context.clock)
    check_not_future(revision_of(call.parameter("resourceVersion")) or 0, context.store)
    entry = context.store.get(scope.key())
    if entry is None:
        raise missing(scope)
    view = View(scope.model)
    await view.prepare((entry,))
    return replies.one(view.whole(entry))


async def list_(context: Context, scope: Scope, call: Call) -> Answer:
    replies = Replies(call, scope.model, context.clock, "list")
    found = page(context.store, scope.model, scope.namespace, list_options(call))
    return await replies.page(found)


async def watch(context: Context, scope: Scope, call: Call) -> Answer:
    replies = Replies(call, scope.model, context.clock, "watch")
    options = _named(list_options(call, watch=True), scope)
    render = replies.watch_rendering()
    watching = Watch(context.store, scope.model, scope.namespace, options, render, context.ids)
    return Answer(200, stream=watching.lines())


def _named(options: ListOptions, scope: Scope) -> ListOptions:
    """A watch on the path of one object is a watch on its name."""
    if not scope.name:
        return options
    by_name = f"metadata.name={scope.name}"
    fields = f"{options.fields},{by_name}" if options.fields else by_name
    return msgspec.structs.replace(options, fields=fields)
