"""What an answer must hold to before anybody believes it. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import Json, JsonObject, encode
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import Answer, Requirements, Resource, Selector, State
from plumbline.composition.pipeline.limits import Limits
from plumbline.composition.pipeline.tags import Print, fingerprint
from plumbline.kube.spelling import dns_subdomain_faults

_READY = frozenset({"Unspecified", "True", "False"})


def check(answer: Answer, limits: Limits) -> None:
    """Refuse what is no answer, or asks for too much. Raises InvalidInput or LimitExceeded, which quote no value."""
    if not isinstance(answer, Answer):
        raise _nonsense(f"is a {type(answer).__name__}")
    _check_requirements(answer.requirements, limits)
    if not isinstance(answer.context, dict):
        raise _nonsense("has a context that is not an object")
    if max(len(answer.results), len(answer.conditions)) > limits.told:
        raise LimitExceeded(f"its answer has more than {limits.told} results or conditions")
    if not 0 <= answer.ttl_s < float("inf"):
        raise _nonsense("has a time to live that is not one")


def weighed(answer: Answer, limits: Limits) -> Print:
    """The fingerprint of what *answer* desires, once that is found to be objects of a bearable size."""
    _check_state(answer.desired, limits)
    try:
        taken = fingerprint(answer.desired)
        context_bytes = len(encode(answer.context))
    except RecursionError:
        raise LimitExceeded("its answer is nested too deeply") from None
    except (TypeError, ValueError, OverflowError):
        raise _nonsense("holds a value that JSON cannot") from None
    if taken.size_bytes + context_bytes > limits.state_bytes:
        raise LimitExceeded(f"its answer has more than {limits.state_bytes} bytes")
    return taken


def fault_of(name: str, resource: JsonObject) -> str:
    """What keeps the desired resource *name* from ever being applied; empty for nothing."""
    if not all(isinstance(resource.get(field), str) and resource[field] for field in ("apiVersion", "kind")):
        return f'it desires a composed resource "{name}" without apiVersion or kind'
    metadata = resource.get("metadata", {})
    if not isinstance(metadata, dict):
        return f'it desires a composed resource "{name}" whose metadata is not an object'
    called = metadata.get("name", "")
    if not isinstance(called, str) or (called and dns_subdomain_faults(called)):
        return (
            f'cannot apply composed resource "{name}" because it has an invalid name "{called!s:.253}".'
            " Must be a valid RFC 1123 subdomain name."
        )
    for field in ("labels", "annotations"):
        if not _text_map(metadata.get(field)):
            return f'it desires a composed resource "{name}" whose {field} are not texts'
    return ""


def _text_map(value: Json) -> bool:
    return value is None or (isinstance(value, dict) and all(isinstance(each, str) for each in value.values()))


def _check_requirements(wanted: Requirements, limits: Limits) -> None:
    if len(wanted.resources) + len(wanted.extra_resources) + len(wanted.schemas) > limits.requirements:
        raise LimitExceeded(f"it asks for more than {limits.requirements} kinds of things at once")
    for selectors in (wanted.resources, wanted.extra_resources):
        for name, selector in selectors.items():
            _check_selector(name, selector)


def _check_selector(name: str, selector: Selector) -> None:
    if not selector.api_version or not selector.kind:
        raise _nonsense(f'asks for "{name:.100}" without apiVersion or kind')


def _check_state(state: State, limits: Limits) -> None:
    if not isinstance(state, State):
        raise _nonsense(f"desires a {type(state).__name__}")
    if len(state.resources) > limits.resources:
        raise LimitExceeded(f"it desires more than {limits.resources} composed resources")
    _check_resource("the composite", state.composite)
    if not isinstance(state.composite.resource.get("status", {}), dict | None):
        raise _nonsense("desires a composite whose status is not an object")
    names: Iterable[Json] = state.resources
    if not all(isinstance(name, str) and 0 < len(name) <= limits.name_chars for name in names):
        raise _nonsense("desires a composed resource without a usable name")
    for name, resource in state.resources.items():
        _check_resource(f'the composed resource "{name}"', resource)


def _check_resource(what: str, resource: Json) -> None:
    if not isinstance(resource, Resource) or not isinstance(resource.resource, dict):
        raise _nonsense(f"desires something for {what} that is not an object")
    if resource.ready not in _READY:
        raise _nonsense(f"says of {what} that it is ready in an unknown way")
    if not _secrets(resource.connection):
        raise _nonsense(f"has connection details for {what} that are none")


def _secrets(connection: Json) -> bool:
    return isinstance(connection, Mapping) and all(isinstance(each, Plaintext) for each in connection.values())


def _nonsense(how: str) -> InvalidInput:
    return InvalidInput("its answer cannot be used", why=f"it {how}")


def culprit(name: str, states: Sequence[State]) -> int:
    """Which of the states, one for each step, was the first to hold what the last one holds under *name*."""
    last = states[-1].resources[name].resource
    at = len(states) - 1
    while at and name in states[at - 1].resources and states[at - 1].resources[name].resource == last:
        at -= 1
    return at
