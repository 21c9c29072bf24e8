"""`/_sandbox/`: faults, options, reset, and what is in the cloud. For programs on this machine; no page may reach it.

`/` says what this is and how often each operation was asked for; `options` are read and changed (PUT); `faults` are listed,
added (POST), replaced (PUT) and cleared (DELETE); `resources` lists everything that exists; POST to `reset` empties the cloud.
"""

from collections.abc import Callable
from ipaddress import ip_address
from typing import Final

import msgspec

from plumbline.base.json import encode
from plumbline.providers.sandbox.calls import Answer, Request
from plumbline.providers.sandbox.cloud import Cloud
from plumbline.providers.sandbox.faults import Fault
from plumbline.providers.sandbox.inventory import resources
from plumbline.providers.sandbox.options import Options

PREFIX: Final = "/_sandbox"
_HOSTS: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_ABOUT: Final = "A simulation of AWS by Plumbline: nothing here is a real cloud."

_faults: Final = msgspec.json.Decoder(list[Fault])


def administered(cloud: Cloud, request: Request, client: str) -> Answer:
    if not _from_here(request, client):
        return _answer(403, {"error": "This is for programs on the same machine, under a loopback address."})
    action = _ACTIONS.get((request.method, request.path.rstrip("/")))
    if action is None:
        return _answer(404, {"error": f"There is no {request.method} {request.path}; see GET {PREFIX}/."})
    try:
        return _answer(200, action(cloud, request.body))
    except msgspec.ValidationError as error:
        return _answer(422, {"error": str(error)})
    except msgspec.DecodeError as error:
        return _answer(400, {"error": f"The body is not JSON: {error}"})


def _from_here(request: Request, client: str) -> bool:
    """Neither from another machine, nor a web page that a browser here was shown, nor a name that leads here by chance."""
    host = request.headers.get("host", "").rsplit(":", 1)[0]
    return ip_address(client).is_loopback and host in _HOSTS and "origin" not in request.headers


def _answer(status: int, content: object) -> Answer:
    return Answer(status, [("content-type", "application/json")], encode(content))


def _about(cloud: Cloud, _: bytes) -> object:
    return {
        "about": _ABOUT,
        "now_s": cloud.pace.now_s(),
        "requests": dict(sorted(cloud.requests.items())),
        "paths": sorted(f"{method} {path}" for method, path in _ACTIONS),
    }


def _options(cloud: Cloud, _: bytes) -> object:
    return {field: getattr(cloud.options, field) for field in Options.__struct_fields__}


def _set_options(cloud: Cloud, body: bytes) -> object:
    given = msgspec.json.decode(body, type=dict[str, object])
    cloud.configure(msgspec.convert({**msgspec.to_builtins(cloud.options), **given}, Options))
    return _options(cloud, b"")


def _list_faults(cloud: Cloud, _: bytes) -> object:
    return cloud.faults.listed()


def _add_faults(cloud: Cloud, body: bytes) -> object:
    cloud.faults.add(_faults.decode(body))
    return cloud.faults.listed()


def _replace_faults(cloud: Cloud, body: bytes) -> object:
    cloud.faults.set(_faults.decode(body))
    return cloud.faults.listed()


def _clear_faults(cloud: Cloud, _: bytes) -> object:
    cloud.faults.set([])
    return []


def _resources(cloud: Cloud, _: bytes) -> object:
    cloud.settle()
    return resources()


def _reset(cloud: Cloud, _: bytes) -> object:
    cloud.reset()
    return {}


_ACTIONS: Final[dict[tuple[str, str], Callable[[Cloud, bytes], object]]] = {
    ("GET", PREFIX): _about,
    ("GET", f"{PREFIX}/options"): _options,
    ("PUT", f"{PREFIX}/options"): _set_options,
    ("GET", f"{PREFIX}/faults"): _list_faults,
    ("POST", f"{PREFIX}/faults"): _add_faults,
    ("PUT", f"{PREFIX}/faults"): _replace_faults,
    ("DELETE", f"{PREFIX}/faults"): _clear_faults,
    ("GET", f"{PREFIX}/resources"): _resources,
    ("POST", f"{PREFIX}/reset"): _reset,
}
