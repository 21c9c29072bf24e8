"""The cloud behind a socket."""

from typing import Any, Final

from plumbline.base.http.asgi import Left, Message, Receive, Send, TooLarge, whole_body
from plumbline.base.http.protocol import BoundedProtocol
from plumbline.providers.sandbox.admin import PREFIX, administered
from plumbline.providers.sandbox.calls import Answer, Request
from plumbline.providers.sandbox.cloud import Cloud, Reply

SIMULATION: Final = ("x-plumbline-simulation", "this is not AWS")
_BODY_BYTES: Final = 64 << 20
_ENTITY_TOO_LARGE: Final = Answer(413, (), b"The sandbox takes bodies of up to 64 MiB.")


class BreakingProtocol(BoundedProtocol):
    """A connection that can be broken off, as networks do."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["break_off"] = self.transport.abort  # type: ignore[typeddict-unknown-key]  # the scope is ours to add to


class Service:
    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            body = await whole_body(receive, headers, _BODY_BYTES)
        except Left:
            return
        except TooLarge:
            await _send(scope, send, _ENTITY_TOO_LARGE)
            return
        path = scope["raw_path"].decode("latin-1").partition("?")[0]
        request = Request(scope["method"], path, scope["query_string"].decode("latin-1"), headers, body)
        reply = self._reply(request, scope)
        if reply.delay_s:
            await self._cloud.pace.sleep(reply.delay_s)
        if reply.lost:
            scope["break_off"]()
            # Only then is the connection lost, and nobody expects an answer any more.
            await receive()
        else:
            await _send(scope, send, reply.answer)

    def _reply(self, request: Request, scope: Message) -> Reply:
        if request.path == PREFIX or request.path.startswith(f"{PREFIX}/"):
            client = scope.get("client") or ("",)
            return Reply(administered(self._cloud, request, client[0]))
        return self._cloud.reply(request)

    def end_streams(self) -> None:
        """There are none."""


async def _send(scope: Message, send: Send, answer: Answer) -> None:
    headers: list[Any] = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
    headers.append((SIMULATION[0].encode(), SIMULATION[1].encode()))
    if scope["method"] != "HEAD":
        headers.append((b"content-length", str(len(answer.body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else answer.body})
