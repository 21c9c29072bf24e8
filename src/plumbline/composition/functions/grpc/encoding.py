"""A call as the protocol's message, and the message that comes back as an answer. What comes back is hostile."""

from collections.abc import Mapping
from typing import Any, Final

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import Json, JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.answers import whole
from plumbline.composition.functions.grpc.sdk import messages
from plumbline.composition.functions.values import (
    NOTHING,
    Answer,
    Call,
    Condition,
    Ready,
    Recipient,
    Requirements,
    Resource,
    Result,
    SchemaSelector,
    Selector,
    Severity,
    State,
)

_DEEPEST: Final = 100
_NODES: Final = 1_000_000
_CAPABILITIES: Final = (1, 2, 3, 4, 5)
_READY: Final[Mapping[int, Ready]] = {1: "True", 2: "False"}
_READY_NUMBERS: Final = {"Unspecified": 0, "True": 1, "False": 2}
_SEVERITIES: Final[Mapping[int, Severity]] = {1: "Fatal", 2: "Warning", 3: "Normal"}
_STATUSES: Final = {2: "True", 3: "False"}
_BOTH: Final = 2


def encoded(call: Call) -> bytes:
    request = messages().RunFunctionRequest()
    request.meta.tag = call.tag
    request.meta.capabilities.extend(_CAPABILITIES)
    request.observed.SetInParent()
    request.desired.SetInParent()
    _put_state(request.observed, call.observed)
    _put_state(request.desired, call.desired)
    if call.input is not None:
        request.input.update(call.input)
    request.context.SetInParent()
    request.context.update(call.context)
    for name, secret in call.credentials.items():
        request.credentials[name].credential_data.SetInParent()
        _put_secrets(request.credentials[name].credential_data.data, secret)
    for field, found in ((request.required_resources, call.required), (request.extra_resources, call.extra)):
        for name, items in found.items():
            field[name].SetInParent()
            for item in items:
                _put_resource(field[name].items.add(), item)
    for name, schema in call.schemas.items():
        request.required_schemas[name].openapi_v3.update(schema)
    return bytes(request.SerializeToString(deterministic=True))


def _put_state(message: Any, state: State) -> None:
    if state.composite != NOTHING:
        _put_resource(message.composite, state.composite)
    for name, resource in state.resources.items():
        _put_resource(message.resources[name], resource)


def _put_resource(message: Any, resource: Resource) -> None:
    message.resource.SetInParent()
    message.resource.update(resource.resource)
    message.ready = _READY_NUMBERS[resource.ready]
    _put_secrets(message.connection_details, resource.connection)


def _put_secrets(field: Any, secrets: Mapping[str, Plaintext]) -> None:
    for key, value in secrets.items():
        field[key] = value.reveal()


def decoded(raw: bytes) -> Answer:
    """Raises InvalidInput or LimitExceeded, which quote nothing of it."""
    response = messages().RunFunctionResponse()
    try:
        response.ParseFromString(raw)
    except Exception as fault:
        raise _nonsense("is no message of the protocol") from fault
    reader = _Reader()
    return Answer(
        desired=State(
            reader.resource(response.desired.composite),
            {name: reader.resource(each) for name, each in response.desired.resources.items()},
        ),
        context=reader.struct(response.context),
        results=tuple(_result(each) for each in response.results),
        conditions=tuple(_condition(each) for each in response.conditions),
        requirements=_requirements(response.requirements),
        ttl_s=max(response.meta.ttl.seconds + response.meta.ttl.nanos / 1e9, 0.0),
        output=reader.struct(response.output) if response.HasField("output") else None,
    )


class _Reader:
    """Reads values until there are too many of them."""

    def __init__(self) -> None:
        self._left = _NODES

    def resource(self, message: Any) -> Resource:
        secrets = {key: Plaintext(value) for key, value in message.connection_details.items()}
        return Resource(self.struct(message.resource), secrets, _READY.get(message.ready, "Unspecified"))

    def struct(self, message: Any, depth: int = 0) -> JsonObject:
        if depth > _DEEPEST:
            raise LimitExceeded(f"its answer is deeper than {_DEEPEST} levels")
        return {key: self._value(each, depth + 1) for key, each in message.fields.items()}

    def _value(self, message: Any, depth: int) -> Json:
        self._left -= 1
        if self._left < 0:
            raise LimitExceeded(f"its answer has more than {_NODES} values")
        kind = message.WhichOneof("kind")
        if kind == "struct_value":
            return self.struct(message.struct_value, depth)
        if kind == "list_value":
            if depth > _DEEPEST:
                raise LimitExceeded(f"its answer is deeper than {_DEEPEST} levels")
            return [self._value(each, depth + 1) for each in message.list_value.values]
        if kind == "number_value":
            return _number(message.number_value)
        if kind is None:
            raise _nonsense("holds a value without a kind")
        return None if kind == "null_value" else getattr(message, kind)


def _number(value: float) -> float | int:
    if value - value != 0:
        raise _nonsense("holds a number that JSON does not know")
    return whole(value)


def _recipient(message: Any) -> Recipient:
    return "CompositeAndClaim" if message.target == _BOTH else "Composite"


def _result(message: Any) -> Result:
    severity = _SEVERITIES.get(message.severity, "Unspecified")
    return Result(severity, message.message, message.reason, _recipient(message))


def _condition(message: Any) -> Condition:
    status: Any = _STATUSES.get(message.status, "Unknown")
    return Condition(message.type, status, message.reason, message.message, _recipient(message))


def _requirements(message: Any) -> Requirements:
    return Requirements(
        resources={name: _selector(each) for name, each in message.resources.items()},
        extra_resources={name: _selector(each) for name, each in message.extra_resources.items()},
        schemas={name: SchemaSelector(each.api_version, each.kind) for name, each in message.schemas.items()},
    )


def _selector(message: Any) -> Selector:
    by_name = message.WhichOneof("match") == "match_name"
    return Selector(
        api_version=message.api_version,
        kind=message.kind,
        name=message.match_name if by_name else "",
        labels=None if by_name else dict(message.match_labels.labels),
        namespace=message.namespace,
    )


def _nonsense(how: str) -> InvalidInput:
    return InvalidInput("its answer cannot be used", why=f"it {how}")
