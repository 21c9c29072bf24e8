"""An Azure of one process: state, operations that take time, faults on demand, and a log of who asked what."""

import itertools
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote

from plumbline.base.json import decode, encode

from . import groups, identity, servers
from .models import Wrong, check
from .refusals import Refusal
from .routes import merged

CONTROL = "/_vendor"
OPERATION = re.compile(
    r"/subscriptions/[^/]+/(?:providers/[^/]+/locations/[^/]+/azureAsyncOperation|operationresults)/([^/]+)"
)
ROUTES = (*groups.ROUTES, *servers.ROUTES)


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes
    lost: bool = False
    """What was asked has been done, but the connection breaks before anybody hears of it."""


class Seen(NamedTuple):
    method: str
    """Such as `PUT servers`."""
    path: str
    body: dict[str, Any]
    status: int

    @property
    def verb(self) -> str:
        return self.method.partition(" ")[0]


class Asked(NamedTuple):
    verb: str
    path: str
    parts: dict[str, str]
    body: dict[str, Any]


class Fault:
    """The next *times* calls of a method fail, or their replies are lost."""

    def __init__(
        self, method: str, *, status: int = 0, code: str = "InternalServerError", retry_after: str = "", times: int = 1
    ):
        self.method = method
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.left = times

    def hits(self, method: str) -> bool:
        if self.left and re.fullmatch(self.method, method):
            self.left -= 1
            return True
        return False

    def strike(self, method: str) -> None:
        if self.status:
            raise Refusal(self.status, self.code, f"{method} fails on demand", retry_after=self.retry_after)


class Operation:
    def __init__(self, target: str, due_s: float, finish: Callable[[], None], *, undo: Callable[[], None] | None):
        self.target = target
        self.due_s = due_s
        self.finish = finish
        self.undo = undo
        self.status = "InProgress"
        self.message = ""


class Cloud:
    def __init__(self, now: Callable[[], float] = time.monotonic, *, takes_s: float = 0.02, open_to_all: bool = False):
        self.now = now
        self.takes_s = takes_s
        self.open_to_all = open_to_all
        self.hidden = False
        """Whether a server cannot be seen before it is ready, as it sometimes is."""
        self.subscriptions = {identity.SUBSCRIPTION}
        self.resources: dict[str, dict[str, Any]] = {}
        """By their ids in small letters."""
        self.secrets: dict[str, str] = {}
        """What the API never shows: passwords, by the id of what they belong to."""
        self.locks: dict[str, str] = {}
        """Names of locks, by the scope that they are on."""
        self.operations: dict[str, Operation] = {}
        self.tokens = {"vendor-token"}
        self.principals = {identity.CLIENT: identity.SECRET}
        self.certificates: dict[str, Any] = {}
        self.federated = {"cluster-token"}
        self.faults: list[Fault] = []
        self.failing: dict[str, str] = {}
        """Operations that will fail, by a pattern of their target, with the message."""
        self.calls: list[Seen] = []
        self.numbers = itertools.count(1)

    def respond(self, verb: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Reply:
        self.settle()
        path = unquote(path)
        if path == CONTROL:
            return _json(200, self._control(verb, decode(body) if body else {}))
        try:
            if (granted := identity.granted(self, verb, path, query, headers, body)) is not None:
                return _json(200, granted)
            identity.authenticate(self, headers)
            if match := OPERATION.fullmatch(path):
                return self._operation(match[1], by_status="operationresults" in path)
            return self._served(verb, path, dict(parse_qsl(query)), body)
        except identity.OAuthRefusal as refusal:
            return _json(refusal.status, refusal.body())
        except Refusal as refusal:
            return _json(refusal.status, refusal.body())

    def _served(self, verb, path, query, body):
        route, parts = _routed(path)
        method = f"{verb} {route.name}"
        fault = next((fault for fault in self.faults if fault.hits(method)), None)
        said = decode(body) if body else {}
        try:
            if fault is not None:
                fault.strike(method)
            reply = self._answered(route, Asked(verb, path, parts, said), query, has_body=bool(body))
        except Refusal as refusal:
            self.calls.append(Seen(method, path, said, refusal.status))
            extra = {"retry-after": refusal.retry_after} if refusal.retry_after else {}
            return _json(refusal.status, refusal.body(), extra)
        self.calls.append(Seen(method, path, said, reply.status))
        return reply._replace(lost=fault is not None)

    def _answered(self, route, asked, query, *, has_body):
        if query.pop("api-version", "") != route.version or query.keys() - {"$top", "$filter"}:
            raise Refusal(400, "InvalidApiVersionParameter", f"The api-version for {route.name} is {route.version}")
        if asked.parts["subscription"] not in self.subscriptions:
            raise Refusal(
                404, "SubscriptionNotFound", f"The subscription '{asked.parts['subscription']}' could not be found."
            )
        if asked.verb not in route.bodies:
            raise Refusal(
                405, "MethodNotAllowed", f"The requested resource does not support http method '{asked.verb}'."
            )
        model = route.bodies[asked.verb]
        if has_body != (model is not None):
            raise Refusal(
                400, "InvalidRequestContent", "The request content was invalid: a body is needed, or none is taken"
            )
        try:
            if model is not None:
                check(model, asked.body)
            answer, headers, status = route.answer(self, asked)
            if answer and route.model and status == 200 and "value" not in answer:
                check(route.model, answer, answer=True)
        except Wrong as wrong:
            raise Refusal(400, "InvalidRequestContent", f"The request content was invalid: {wrong}") from None
        return _json(status, answer, headers) if answer is not None else Reply(status, headers, b"")

    def start(
        self, target: str, finish: Callable[[], None], *, undo: Callable[[], None] | None = None, plain: bool = False
    ):
        """An operation that is over in a while; what *finish* does is seen then. *plain* ones have a Location only."""
        name = f"op-{next(self.numbers)}"
        self.operations[name] = Operation(target.lower(), self.now() + self.takes_s, finish, undo=undo)
        subscription = f"https://management.azure.com/subscriptions/{target.split('/')[2]}"
        headers = {"retry-after": "12", "location": f"{subscription}/operationresults/{name}?api-version=2025-08-01"}
        if not plain:
            where = "providers/Microsoft.DBforPostgreSQL/locations/westeurope/azureAsyncOperation"
            headers["azure-asyncoperation"] = f"{subscription}/{where}/{name}?api-version=2025-08-01&t=1&c=x%2By"
        return headers

    def busy(self, target: str) -> bool:
        return any(one.status == "InProgress" and one.target == target.lower() for one in self.operations.values())

    def settle(self) -> None:
        for operation in list(self.operations.values()):
            if operation.status != "InProgress" or operation.due_s > self.now():
                continue
            operation.message = next(
                (text for pattern, text in self.failing.items() if re.search(pattern, operation.target)), ""
            )
            operation.status = "Failed" if operation.message else "Succeeded"
            action = operation.undo if operation.message else operation.finish
            if action:
                action()

    def _operation(self, name, *, by_status):
        operation = self.operations.get(name)
        if operation is None:
            raise Refusal(404, "NotFound", "The operation was not found")
        runs = operation.status == "InProgress"
        headers = {"retry-after": "12"} if runs else {}
        if by_status:
            again = {"location": f"https://management.azure.com/subscriptions/s/operationresults/{name}"}
            return Reply(202 if runs else 200, {**headers, **(again if runs else {})}, b"")
        error = {"error": {"code": "InternalServerError", "message": operation.message}} if operation.message else {}
        return _json(
            200, {"name": name, "status": operation.status, "startTime": "2026-01-01T00:00:00Z", **error}, headers
        )

    def find(self, path: str) -> dict[str, Any] | None:
        return self.resources.get(path.lower())

    def change(self, path: str, change: dict[str, Any]) -> None:
        """Out of band, as somebody in the portal would."""
        self.resources[path.lower()] = merged(self.resources[path.lower()], change)

    def remove(self, path: str) -> None:
        for one in [key for key in self.resources if key == path.lower() or key.startswith(f"{path.lower()}/")]:
            del self.resources[one]

    def fail(self, method: str, **how: Any) -> None:
        self.faults.append(Fault(method, **how))

    def lose(self, method: str) -> None:
        """Do what is asked next, and let nobody hear of it."""
        self.faults.append(Fault(method))

    def count(self, method: str) -> int:
        """Calls of a method that were answered with a success."""
        return sum(re.fullmatch(method, seen.method) is not None and seen.status < 300 for seen in self.calls)

    @property
    def writes(self) -> list[Seen]:
        return [seen for seen in self.calls if seen.verb != "GET"]

    def _control(self, verb, said):
        if verb == "GET":
            return {"resources": self.resources, "calls": [[seen.method, seen.status] for seen in self.calls]}
        for action, argument in said.items():
            match action:
                case "change":
                    self.change(argument["path"], argument["merge"])
                case "remove":
                    self.remove(argument)
                case "fail":
                    self.fail(**argument)
                case "lose":
                    self.lose(argument)
                case "lock":
                    self.locks[argument["scope"].lower()] = argument["name"]
        return {}


def _routed(path):
    for route in ROUTES:
        if match := route.match(path):
            return route, match.groupdict()
    raise Refusal(404, "InvalidResourceType", f"The resource type could not be found for '{path}'")


def _json(status: int, value: Any, headers: dict[str, str] | None = None) -> Reply:
    return Reply(status, {"content-type": "application/json; charset=utf-8", **(headers or {})}, encode(value))
