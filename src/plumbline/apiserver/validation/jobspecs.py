"""What a Job is to do: how often, at most how often wrongly, and what counts as done."""

import re
from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import (
    OMITTED,
    FieldError,
    Word,
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from plumbline.apiserver.validation.checks import domain_path_errors
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import byte_count, qualified_name
from plumbline.apiserver.validation.pods.choices import optional_errors
from plumbline.apiserver.validation.pods.template import template_errors
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, sequence, text
from plumbline.apiserver.validation.templates import negative_errors
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted

_COUNTS: Final = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_MANY: Final = 100_000
_FEW: Final = 10_000
_MANAGED_BY_BYTES: Final = 63
_MOST_RULES: Final = 20
_MOST_EXIT_CODES: Final = 255
_INDEXES_BYTES: Final = 64 * 1024
_MODES: Final = ("NonIndexed", "Indexed")
_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS: Final = ("In", "NotIn")
_STATUSES: Final = ("False", "True", "Unknown")
_integer: Final = re.compile("[+-]?[0-9]{1,18}").fullmatch


def job_spec_errors(spec: JsonObject, at: str, before: Json = None) -> Iterator[FieldError]:
    """Complaints about a Job's spec without its selector; a template that was there *before* is sound."""
    yield from negative_errors(spec, _COUNTS, at)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield required(f"{at}.backoffLimitPerIndex", "when maxFailedIndexes is specified")
    if spec.get("managedBy") is not None:
        yield from domain_path_errors(f"{at}.managedBy", text(spec["managedBy"]))
        if byte_count(text(spec["managedBy"])) > _MANAGED_BY_BYTES:
            yield too_long(f"{at}.managedBy", _MANAGED_BY_BYTES)
    mode = spec.get("completionMode")
    yield from optional_errors(mode, f"{at}.completionMode", _MODES)
    if mode == "Indexed":
        yield from _indexed_errors(spec, at)
    elif mode is None or mode == "NonIndexed":
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(name) is not None:
                yield invalid(f"{at}.{name}", spec[name], "requires indexed completion mode")
    yield from _policy_errors(spec, at)
    if spec.get("template") != before or before is None:
        yield from template_errors(mapping(spec.get("template")), f"{at}.template")
    yield from _restart_errors(spec, f"{at}.template.spec.restartPolicy")


def _restart_errors(spec: JsonObject, field: str) -> Iterator[FieldError]:
    policy = text(mapping(mapping(spec.get("template")).get("spec")).get("restartPolicy"))
    if policy in {"", "Always"}:
        yield required(field, 'valid values: "OnFailure", "Never"')
    elif policy not in {"OnFailure", "Never"}:
        yield not_supported(field, Word(policy), ("OnFailure", "Never"))
    elif policy != "Never" and spec.get("podFailurePolicy") is not None:
        yield invalid(field, Word(policy), 'only "Never" is supported when podFailurePolicy is specified')


def _indexed_errors(spec: JsonObject, at: str) -> Iterator[FieldError]:
    completions, parallelism = integer(spec.get("completions")), integer(spec.get("parallelism"))
    failed = integer(spec.get("maxFailedIndexes"))
    if completions is None:
        yield required(f"{at}.completions", "when completion mode is Indexed")
    if parallelism is not None and parallelism > _MANY:
        detail = f"must be less than or equal to {_MANY} when completion mode is Indexed"
        yield invalid(f"{at}.parallelism", parallelism, detail)
    if failed is not None:
        if completions is not None and failed > completions:
            yield invalid(f"{at}.maxFailedIndexes", failed, "must be less than or equal to completions")
        if failed > _MANY:
            yield invalid(f"{at}.maxFailedIndexes", failed, f"must be less than or equal to {_MANY}")
    if completions is not None and completions > _MANY and spec.get("backoffLimitPerIndex") is not None:
        yield from _many_errors(parallelism, failed, at)


def _many_errors(parallelism: int | None, failed: int | None, at: str) -> Iterator[FieldError]:
    detail = (
        f"must be less than or equal to {_FEW} when completions are above {_MANY} and used with backoff limit per index"
    )
    if failed is None:
        yield required(f"{at}.maxFailedIndexes", f"must be specified when completions is above {_MANY}")
    if parallelism is not None and parallelism > _FEW:
        yield invalid(f"{at}.parallelism", parallelism, detail)
    if failed is not None and failed > _FEW:
        yield invalid(f"{at}.maxFailedIndexes", failed, detail)


def _policy_errors(spec: JsonObject, at: str) -> Iterator[FieldError]:
    failure, success = spec.get("podFailurePolicy"), spec.get("successPolicy")
    if isinstance(failure, dict):
        yield from _failure_errors(spec, failure, f"{at}.podFailurePolicy.rules")
    if isinstance(success, dict):
        if spec.get("completionMode") != "Indexed":
            shown = go_form(success, "SuccessPolicy")
            yield invalid(f"{at}.successPolicy", shown, "requires indexed completion mode")
        else:
            yield from _success_errors(success, integer(spec.get("completions")) or 0, f"{at}.successPolicy.rules")
    supported = ("Failed",) if isinstance(failure, dict) else ("Failed", "TerminatingOrFailed")
    yield from optional_errors(spec.get("podReplacementPolicy"), f"{at}.podReplacementPolicy", supported)


def _failure_errors(spec: JsonObject, policy: JsonObject, field: str) -> Iterator[FieldError]:
    rules = mappings(policy.get("rules"))
    if len(rules) > _MOST_RULES:
        yield too_many(field, len(rules), _MOST_RULES)
    pod = mapping(mapping(spec.get("template")).get("spec"))
    names = {text(each.get("name")) for kind in ("containers", "initContainers") for each in mappings(pod.get(kind))}
    per_index = spec.get("backoffLimitPerIndex") is not None
    for index, rule in enumerate(rules):
        at = f"{field}[{index}]"
        yield from _action_errors(text(rule.get("action")), f"{at}.action", per_index=per_index)
        codes, conditions = rule.get("onExitCodes"), mappings(rule.get("onPodConditions"))
        if isinstance(codes, dict):
            yield from _exit_code_errors(codes, f"{at}.onExitCodes", names)
        if conditions:
            yield from _condition_errors(conditions, f"{at}.onPodConditions")
        if isinstance(codes, dict) and conditions:
            yield invalid(at, OMITTED, "specifying both OnExitCodes and OnPodConditions is not supported")
        if not isinstance(codes, dict) and not conditions:
            yield invalid(at, OMITTED, "specifying one of OnExitCodes and OnPodConditions is required")


def _action_errors(action: str, field: str, *, per_index: bool) -> Iterator[FieldError]:
    if not action:
        yield required(field, _valid(_ACTIONS))
    elif action == "FailIndex":
        if not per_index:
            yield invalid(field, Word(action), "requires the backoffLimitPerIndex to be set")
    elif action not in _ACTIONS:
        yield not_supported(field, Word(action), _ACTIONS)


def _condition_errors(conditions: list[JsonObject], field: str) -> Iterator[FieldError]:
    if len(conditions) > _MOST_RULES:
        yield too_many(field, len(conditions), _MOST_RULES)
    for index, pattern in enumerate(conditions):
        at, kind, status = f"{field}[{index}]", text(pattern.get("type")), text(pattern.get("status"))
        yield from faulty(f"{at}.type", kind, qualified_name(kind))
        if not status:
            yield required(f"{at}.status", _valid(_STATUSES))
        elif status not in _STATUSES:
            yield not_supported(f"{at}.status", Word(status), _STATUSES)


def _exit_code_errors(codes: JsonObject, at: str, names: set[str]) -> Iterator[FieldError]:
    operator, name, values = text(codes.get("operator")), codes.get("containerName"), codes.get("values")
    if not operator:
        yield required(f"{at}.operator", _valid(_OPERATORS))
    elif operator not in _OPERATORS:
        yield not_supported(f"{at}.operator", Word(operator), _OPERATORS)
    if name is not None and text(name) not in names:
        detail = "must be one of the container or initContainer names in the pod template"
        yield invalid(f"{at}.containerName", text(name), detail)
    held = [integer(value) or 0 for value in sequence(values)]
    if not held:
        yield invalid(f"{at}.values", values, "at least one value is required")
    elif len(held) > _MOST_EXIT_CODES:
        yield too_many(f"{at}.values", len(held), _MOST_EXIT_CODES)
    for index, value in enumerate(held):
        if operator == "In" and value == 0:
            yield invalid(f"{at}.values[{index}]", 0, "must not be 0 for the In operator")
        if value in held[:index]:
            yield duplicate(f"{at}.values[{index}]", value)
    if held != sorted(held):
        yield invalid(f"{at}.values", held, "must be ordered")


def _success_errors(policy: JsonObject, completions: int, field: str) -> Iterator[FieldError]:
    rules = mappings(policy.get("rules"))
    if not rules:
        yield required(field, "at least one rules must be specified when the successPolicy is specified")
    if len(rules) > _MOST_RULES:
        yield too_many(field, len(rules), _MOST_RULES)
    for index, rule in enumerate(rules):
        at, count, indexes = f"{field}[{index}]", integer(rule.get("succeededCount")), rule.get("succeededIndexes")
        if count is None and indexes is None:
            yield required(at, "at least one of succeededCount or succeededIndexes must be specified")
        total, fault = indexes_read(text(indexes), completions)
        if indexes is not None:
            if byte_count(text(indexes)) > _INDEXES_BYTES:
                yield too_long(f"{at}.succeededIndexes", _INDEXES_BYTES)
            if fault:
                yield invalid(f"{at}.succeededIndexes", indexes, f"error parsing succeededIndexes: {fault}")
        if count is not None:
            yield from negative_errors(rule, ("succeededCount",), at)
            if count > completions:
                detail = f"must be less than or equal to {completions} (the number of specified completions)"
                yield invalid(f"{at}.succeededCount", count, detail)
            if indexes is not None and count > total:
                named = "the number of indexes in the specified succeededIndexes field"
                yield invalid(f"{at}.succeededCount", count, f"must be less than or equal to {total} ({named})")


def indexes_read(text_: str, completions: int) -> tuple[int, str]:
    """How many indexes a list of intervals such as `1,3-5` names, or why it names none."""
    total, last = 0, -1
    for part in text_.split(",") if text_ else []:
        low, high, fault = interval_read(part, completions)
        if fault:
            return 0, fault
        if total and last >= low:
            return 0, f"non-increasing order, previous: {last}, current: {low}"
        total += high - low + 1
        last = high
    return total, ""


def interval_read(part: str, completions: int) -> tuple[int, int, str]:
    limits = part.split("-")
    if len(limits) > 2:  # noqa: PLR2004 - from and to
        said = "violates the requirement that an index interval can have at most two parts separated by '-'"
        return 0, 0, f"the fragment {quoted(part)} {said}"
    for limit in limits:
        if not _integer(limit):
            return 0, 0, f"cannot convert string to integer for index: {quoted(limit)}"
        if int(limit) >= completions:
            return 0, 0, f"too large index: {quoted(limit)}"
    low, high = int(limits[0]), int(limits[-1])
    if len(limits) > 1 and low >= high:
        return 0, 0, f"non-increasing order, previous: {low}, current: {high}"
    return low, high, ""


def _valid(supported: tuple[str, ...]) -> str:
    return f"valid values: [{' '.join(map(quoted, supported))}]"
