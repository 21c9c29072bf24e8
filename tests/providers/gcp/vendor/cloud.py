"""A Google Cloud of one process: state, operations that take time, faults on demand, and a log of who asked what."""

import itertools
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from plumbline.base.json import decode, encode

from . import compute, identity, pubsub, redis, sql, storage
from .documents import Asked, Refusal, asked, check, merged

SERVICES: Mapping[str, Mapping[str, Callable[["Cloud", Asked], Any]]] = {
    "sqladmin.v1": sql.METHODS,
    "storage.v1": storage.METHODS,
    "compute.v1": compute.METHODS,
    "redis.v1": redis.METHODS,
    "pubsub.v1": pubsub.METHODS,
}
CONTROL = "/_vendor"


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes
    lost: bool = False
    """What was asked has been done, but the connection breaks before anybody hears of it."""


class Seen(NamedTuple):
    verb: str
    path: str
    method: str
    body: dict[str, Any]
    status: int


class Fault:
    """The next *times* calls of a method fail, or their replies are lost."""

    def __init__(
        self, method: str, *, status: int = 0, reason: str = "backendError", retry_after: str = "", times: int = 1
    ):
        self.method = method
        self.status = status
        self.reason = reason
        self.retry_after = retry_after
        self.left = times

    def hits(self, method: str) -> bool:
        if self.left and re.fullmatch(self.method, method):
            self.left -= 1
            return True
        return False


class Operation:
    def __init__(self, shown: dict[str, Any], due_s: float, target: str, finish: Callable[[], None]):
        self.shown = shown
        self.due_s = due_s
        self.target = target
        self.finish = finish
        self.over = False


class Cloud:
    def __init__(self, now: Callable[[], float] = time.monotonic, *, takes_s: float = 0.02, open_to_all: bool = False):
        self.now = now
        self.takes_s = takes_s
        self.open_to_all = open_to_all
        self.resources: dict[str, dict[str, Any]] = {}
        """By their path, such as `projects/p/instances/i`."""
        self.secrets: dict[str, str] = {}
        """What the API never shows: passwords, by the path of what they belong to."""
        self.operations: dict[str, Operation] = {}
        self.retired: set[str] = set()
        """Names that cannot be used again for a while."""
        self.tokens = {"vendor-token"}
        self.keys: dict[str, Any] = {}
        """Public keys of service accounts, by email."""
        self.faults: list[Fault] = []
        self.failing: dict[str, str] = {}
        """Operations that will fail, by a pattern of their target, with the message."""
        self.calls: list[Seen] = []
        self.numbers = itertools.count(1)

    def respond(self, verb: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Reply:
        self.settle()
        if path == CONTROL:
            return _json(200, self._control(verb, decode(body) if body else {}))
        try:
            if (granted := identity.granted(self, verb, path, headers, body)) is not None:
                return _json(200, granted)
            return self._served(verb, path, query, headers, body)
        except Refusal as refusal:
            return _json(refusal.status, refusal.body())

    def _served(self, verb, path, query, headers, body):
        identity.authenticate(self, headers)
        try:
            question = asked(verb, path, query, body)
        except Refusal as refusal:
            self.calls.append(Seen(verb, path, "", {}, refusal.status))
            raise
        method = question.route.name
        fault = next((fault for fault in self.faults if fault.hits(method)), None)
        if fault is not None and fault.status:
            self.calls.append(Seen(verb, path, method, question.body, fault.status))
            refusal = Refusal(fault.status, fault.reason, f"{method} fails on demand")
            extra = {"retry-after": fault.retry_after} if fault.retry_after else {}
            return _json(refusal.status, refusal.body(), extra)
        try:
            answer = SERVICES[question.route.api][method](self, question)
        except Refusal as refusal:
            self.calls.append(Seen(verb, path, method, question.body, refusal.status))
            raise
        if answer is not None and question.route.response:
            check(question.route.api, {"$ref": question.route.response}, answer, "")
        self.calls.append(Seen(verb, path, method, question.body, 200))
        reply = _json(200, answer) if answer is not None else Reply(204, {}, b"")
        return reply._replace(lost=fault is not None)

    def start(self, shown: dict[str, Any], target: str, finish: Callable[[], None]) -> dict[str, Any]:
        """An operation that is over in a while; what *finish* does is seen then."""
        self.operations[shown["name"]] = Operation(shown, self.now() + self.takes_s, target, finish)
        return shown

    def busy(self, target: str) -> bool:
        return any(not operation.over and operation.target == target for operation in self.operations.values())

    def settle(self) -> None:
        for operation in list(self.operations.values()):
            if operation.over or operation.due_s > self.now():
                continue
            operation.over = True
            message = next((text for pattern, text in self.failing.items() if re.search(pattern, operation.target)), "")
            operation.shown.update({"done": True} if "done" in operation.shown else {"status": "DONE"})
            if message:
                error = {"code": 8, "message": message}
                listed = {"errors": [{"code": "INTERNAL_ERROR", "message": message}]}
                operation.shown["error"] = error if "done" in operation.shown else listed
                self.resources.pop(operation.target, None) if operation.target.count("/") else None
            else:
                operation.finish()

    def change(self, path: str, change: dict[str, Any]) -> None:
        """Out of band, as somebody in the console would."""
        self.resources[path] = merged(self.resources[path], change)

    def remove(self, path: str) -> None:
        del self.resources[path]

    def fail(self, method: str, **how: Any) -> None:
        self.faults.append(Fault(method, **how))

    def lose(self, method: str) -> None:
        """Do what is asked next, and let nobody hear of it."""
        self.faults.append(Fault(method))

    def count(self, method: str) -> int:
        """Calls of a method that were answered with a success."""
        return sum(re.fullmatch(method, seen.method) is not None and seen.status == 200 for seen in self.calls)

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
                case "object":
                    storage.put_object(self, argument["bucket"], argument["name"])
        return {}


def _json(status: int, value: Any, headers: dict[str, str] | None = None) -> Reply:
    return Reply(status, {"content-type": "application/json; charset=UTF-8", **(headers or {})}, encode(value))
