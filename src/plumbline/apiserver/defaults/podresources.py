"""What a pod requests where it only says what it is limited to: per container, and for the pod as a whole.

The pod's own amounts come from those of its containers, counted as the scheduler counts them: containers and sidecars
run together, init containers one after the other beside the sidecars started before them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from plumbline.apiserver.defaults.rules import child_of, each, for_objects, record
from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json, JsonObject
from plumbline.kube.quantity import Quantity

_Amounts: TypeAlias = dict[str, Quantity]
_HUGE_PAGES: Final = "hugepages-"


def with_requests(spec: JsonObject) -> JsonObject:
    """The pod *spec* with the requests that follow from its limits."""
    held: JsonObject = _CONTAINERS(spec)
    resources = held.get("resources")
    if type(resources) is not dict or not (resources.get("limits") or resources.get("requests")):
        return held
    try:
        whole = _pod_requests(held, _huge_page_limits(held, resources))
    except BadQuantity:
        return held  # Whoever reads the amounts next refuses them by name.
    return held if whole is resources else {**held, "resources": whole}


@for_objects
def _from_limits(resources: JsonObject) -> JsonObject:
    limits, requests = child_of(resources, "limits"), child_of(resources, "requests")
    if not limits.keys() - requests.keys():
        return resources
    return {**resources, "requests": {**limits, **requests}}


_EACH_CONTAINER: Final = each(record(fields={"resources": _from_limits}))
_CONTAINERS: Final = record(fields={"containers": _EACH_CONTAINER, "initContainers": _EACH_CONTAINER})


def _huge_page_limits(spec: JsonObject, resources: JsonObject) -> JsonObject:
    requests = child_of(resources, "requests")
    return _completed(
        resources, "limits", _total(spec, "limits"), lambda name: name.startswith(_HUGE_PAGES) and name not in requests
    )


def _pod_requests(spec: JsonObject, resources: JsonObject) -> JsonObject:
    limits = child_of(resources, "limits")
    if not limits:
        return resources
    counted = _completed(resources, "requests", _total(spec, "requests"), _CPU_AND_MEMORY.__contains__)
    return _completed(counted, "requests", limits, _counted_for_pods)


_CPU_AND_MEMORY: Final = ("cpu", "memory")


def _counted_for_pods(name: str) -> bool:
    return name in _CPU_AND_MEMORY or name.startswith(_HUGE_PAGES)


def _completed(
    resources: JsonObject, field: str, amounts: Mapping[str, Json], fitting: Callable[[str], bool]
) -> JsonObject:
    said = child_of(resources, field)
    more = {name: str(amount) for name, amount in amounts.items() if name not in said and fitting(name)}
    return {**resources, field: {**said, **more}} if more else resources


def _total(spec: JsonObject, field: str) -> _Amounts:
    running: _Amounts = {}
    for amounts, _ in _amounts_of(spec, "containers", field):
        _add(running, amounts)
    sidecars: _Amounts = {}
    starting: _Amounts = {}
    for amounts, stays in _amounts_of(spec, "initContainers", field):
        if stays:
            _add(running, amounts)
            _add(sidecars, amounts)
            _raise(starting, sidecars)
        else:
            beside = dict(amounts)
            _add(beside, sidecars)
            _raise(starting, beside)
    _raise(running, starting)
    return running


def _amounts_of(spec: JsonObject, containers: str, field: str) -> Iterator[tuple[_Amounts, bool]]:
    listed = spec.get(containers)
    for container in listed if type(listed) is list else ():
        if type(container) is dict:
            amounts = child_of(child_of(container, "resources"), field)
            read = {name: Quantity.from_json(amount) for name, amount in amounts.items()}
            yield read, container.get("restartPolicy") == "Always"


def _add(total: _Amounts, more: _Amounts) -> None:
    for name, amount in more.items():
        total[name] = total[name] + amount if name in total else amount


def _raise(total: _Amounts, least: _Amounts) -> None:
    for name, amount in least.items():
        if name not in total or amount > total[name]:
            total[name] = amount
