"""Our functions, served by gRPC as others would serve theirs, so that real programs can call them."""

import contextlib

import grpc
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1 import run_function_pb2_grpc as v1
from google.protobuf import json_format

from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.answers import copied
from plumbline.composition.functions.values import Call, Resource, State

READY = ("Unspecified", "True", "False")
SEVERITIES = ("Unspecified", "Fatal", "Warning", "Normal")
STATUSES = ("", "Unknown", "True", "False")


class Served(v1.FunctionRunnerService):
    """*old*: for a Crossplane that knows what functions ask for by its first name only."""

    def __init__(self, function, *, old):
        self._function = function
        self._old = old

    async def RunFunction(self, req, context):  # noqa: N802 - the protocol's name and signature
        if self._old:
            _renamed(req.extra_resources, req.required_resources)
        rsp = _response(await self._function.run(_call(req)))
        if self._old:
            _renamed(rsp.requirements.resources, rsp.requirements.extra_resources)
        return rsp


def _renamed(there, here):
    for name, each in there.items():
        here[name].CopyFrom(each)


@contextlib.asynccontextmanager
async def served(functions, *, old=False):
    """The addresses of functions by name."""
    async with contextlib.AsyncExitStack() as stack:
        addresses = {}
        for name, function in functions.items():
            server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
            v1.add_FunctionRunnerServiceServicer_to_server(Served(function, old=old), server)
            addresses[name] = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
            await server.start()
            stack.push_async_callback(server.stop, None)
        yield addresses


def _call(req):
    return Call(
        observed=_state(req.observed),
        desired=_state(req.desired),
        input=_object(req.input) if req.HasField("input") else None,
        context=_object(req.context),
        credentials={
            name: {key: Plaintext(value) for key, value in each.credential_data.data.items()}
            for name, each in req.credentials.items()
        },
        required=_fetched(req.required_resources),
        extra=_fetched(req.extra_resources),
        tag=req.meta.tag,
    )


def _fetched(found):
    return {name: tuple(_resource(each) for each in items.items) for name, items in found.items()}


def _state(message):
    return State(_resource(message.composite), {name: _resource(each) for name, each in message.resources.items()})


def _resource(message):
    secrets = {key: Plaintext(value) for key, value in message.connection_details.items()}
    return Resource(_object(message.resource), secrets, READY[message.ready])


def _object(message):
    return copied(json_format.MessageToDict(message))


def _response(answer):
    rsp = fnv1.RunFunctionResponse()
    rsp.meta.ttl.FromMilliseconds(int(answer.ttl_s * 1000))
    rsp.context.SetInParent()
    rsp.context.update(answer.context)
    if answer.desired.composite.resource or answer.desired.composite.ready != "Unspecified":
        _put(rsp.desired.composite, answer.desired.composite)
    for name, each in answer.desired.resources.items():
        _put(rsp.desired.resources[name], each)
    for each in answer.results:
        rsp.results.add(severity=SEVERITIES.index(each.severity), message=each.message, reason=each.reason)
    for each in answer.conditions:
        rsp.conditions.add(type=each.type, status=STATUSES.index(each.status), reason=each.reason, message=each.message)
    for field, wanted in (
        (rsp.requirements.resources, answer.requirements.resources),
        (rsp.requirements.extra_resources, answer.requirements.extra_resources),
    ):
        for name, each in wanted.items():
            field[name].api_version, field[name].kind = each.api_version, each.kind
            if each.labels is None:
                field[name].match_name = each.name
            else:
                field[name].match_labels.labels.update(each.labels)
    return rsp


def _put(message, resource):
    message.resource.update(resource.resource)
    message.ready = READY.index(resource.ready)
    for key, value in resource.connection.items():
        message.connection_details[key] = value.reveal()
