"""What is reported of Jobs. A report is held to a rule where it changes what the rule is about."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import OMITTED, FieldError, Word, duplicate, invalid, required
from plumbline.apiserver.validation.checks import collected, meta_update
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.jobspecs import indexes_read, interval_read
from plumbline.apiserver.validation.metadata import IMMUTABLE
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, number, text, texts
from plumbline.apiserver.validation.templates import negative_errors
from plumbline.base.json import JsonObject

_COUNTS: Final = ("active", "succeeded", "failed", "ready", "terminating")
_CONDITIONS: Final = "status.conditions"


class _Report:
    """The status of a Job, with its conditions at hand."""

    def __init__(self, job: JsonObject) -> None:
        self.status = mapping(job.get("status"))
        self.spec = mapping(job.get("spec"))
        conditions = mappings(self.status.get("conditions"))
        self.true = {text(each.get("type")) for each in conditions if each.get("status") == "True"}
        self.false = {text(each.get("type")) for each in conditions if each.get("status") == "False"}
        self.complete = "Complete" in self.true
        self.failed = "Failed" in self.true
        self.finished = self.complete or self.failed
        self.indexed = self.spec.get("completionMode") == "Indexed"


class _Change:
    def __init__(self, new: JsonObject, old: JsonObject) -> None:
        self.now, self.before = _Report(new), _Report(old)

    def of(self, *names: str) -> bool:
        """Whether any of these fields of the status changed."""
        now, before = self.now.status, self.before.status
        return any((now.get(name) or None) != (before.get(name) or None) for name in names)

    def in_truth(self, *conditions: str) -> bool:
        """Whether any of these conditions became true, or is no longer."""
        changed = self.now.true ^ self.before.true
        return any(each in changed for each in conditions)

    @property
    def in_end(self) -> bool:
        return self.now.finished != self.before.finished


@collected
def job_status_errors(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(new, old)
    change = _Change(new, old)
    status = change.now.status
    yield from negative_errors(status, _COUNTS, "status")
    yield from _uncounted_errors(mapping(status.get("uncountedTerminatedPods")))
    if change.now.status == change.before.status:
        return
    yield from _outcome_errors(change)
    yield from _finished_errors(change)
    yield from _index_errors(change)
    yield from _late_errors(change)
    yield from _history_errors(change)


def _uncounted_errors(pods: JsonObject) -> Iterator[FieldError]:
    seen: set[str] = set()
    for name in ("succeeded", "failed"):
        for index, uid in enumerate(texts(pods.get(name))):
            field = f"status.uncountedTerminatedPods.{name}[{index}]"
            if not uid:
                yield invalid(field, "", "must not be empty")
            elif uid in seen:
                yield duplicate(field, Word(uid))
            seen.add(uid)


def _outcome_errors(change: _Change) -> Iterator[FieldError]:
    now = change.now
    done, started = now.status.get("completionTime"), now.status.get("startTime")
    if now.complete and now.failed and change.in_truth("Complete", "Failed"):
        yield invalid(_CONDITIONS, OMITTED, "cannot set Complete=True and Failed=true conditions")
    if now.complete and "FailureTarget" in now.true and change.in_truth("Complete", "FailureTarget"):
        yield invalid(_CONDITIONS, OMITTED, "cannot set Complete=True and FailureTarget=true conditions")
    if change.in_truth("Complete") or change.of("completionTime"):
        if done is not None and not now.complete:
            detail = "cannot set completionTime when there is no Complete=True condition"
            yield invalid("status.completionTime", done, detail)
        if done is None and now.complete:
            yield required("status.completionTime", "completionTime is required for Complete jobs")
    if change.of("startTime", "completionTime") and done and started and text(done) < text(started):
        yield invalid("status.completionTime", done, "must be equal to or after `startTime`")
    if (change.in_truth("Failed") or change.of("failedIndexes")) and now.failed and "FailureTarget" not in now.true:
        detail = "cannot set Failed=True condition without the FailureTarget=true condition"
        yield invalid(_CONDITIONS, OMITTED, detail)
    unmet = now.complete and "SuccessCriteriaMet" not in now.true
    if unmet and change.in_truth("Complete", "SuccessCriteriaMet"):
        detail = "cannot set Complete=True condition without the SuccessCriteriaMet=true condition"
        yield invalid(_CONDITIONS, OMITTED, detail)


def _finished_errors(change: _Change) -> Iterator[FieldError]:
    now = change.now
    status = now.status
    if not now.finished:
        return
    if (change.in_end or change.of("active")) and number(status.get("active")) > 0:
        yield invalid("status.active", status["active"], "active>0 is invalid for finished job")
    asleep = now.spec.get("suspend") is True and now.spec.get("completions") == 0
    if (change.in_end or change.of("startTime")) and not asleep and status.get("startTime") is None:
        yield required("status.startTime", "startTime is required for finished job")
    pods = mapping(status.get("uncountedTerminatedPods"))
    uncounted = pods.get("failed") or pods.get("succeeded")
    if (change.in_end or change.of("uncountedTerminatedPods")) and uncounted:
        shown = go_form(pods, "UncountedTerminatedPods")
        yield invalid("status.uncountedTerminatedPods", shown, "must be empty for finished job")


def _index_errors(change: _Change) -> Iterator[FieldError]:
    now = change.now
    completed, failed = text(now.status.get("completedIndexes")), now.status.get("failedIndexes")
    completions, per_index = integer(now.spec.get("completions")), now.spec.get("backoffLimitPerIndex")
    if change.of("completedIndexes") and completions is not None:
        _, fault = indexes_read(completed, completions)
        if fault:
            yield invalid("status.completedIndexes", completed, f"error parsing completedIndexes: {fault}")
    if change.of("failedIndexes") and completions is not None and per_index is not None and failed is not None:
        _, fault = indexes_read(text(failed), completions)
        if fault:
            yield invalid("status.failedIndexes", Word(text(failed)), f"error parsing failedIndexes: {fault}")
    if change.of("completedIndexes") and completed and not now.indexed:
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        yield invalid("status.completedIndexes", completed, detail)
    if change.of("failedIndexes") and per_index is None and failed is not None:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        yield invalid("status.failedIndexes", text(failed), detail)
    if change.of("failedIndexes", "completedIndexes") and completions is not None and failed is not None:
        common = _overlap(completed, text(failed), completions)
        if common is not None:
            detail = f"failedIndexes and completedIndexes overlap at index: {common}"
            yield invalid("status.failedIndexes", text(failed), detail)


def _overlap(completed: str, failed: str, completions: int) -> int | None:
    """The first index that two lists of intervals both name, as far as they can be read."""
    if not completed or not failed:
        return None
    one, other = (
        [read[:2] for part in held.split(",") if not (read := interval_read(part, completions))[2]]
        for held in (completed, failed)
    )
    left, right = 0, 0
    while left < len(one) and right < len(other):
        (low, high), (first, last) = one[left], other[right]
        if low <= last and first <= high:
            return max(low, first)
        if low <= first:
            left += 1
        else:
            right += 1
    return None


def _late_errors(change: _Change) -> Iterator[FieldError]:
    now = change.now
    status, met = now.status, "SuccessCriteriaMet" in now.true
    terminating, ready = number(status.get("terminating")), integer(status.get("ready"))
    if (change.in_end or change.of("terminating")) and now.finished and terminating > 0:
        yield invalid("status.terminating", terminating, "terminating>0 is invalid for finished job")
    if change.of("ready", "active") and ready is not None and ready > number(status.get("active")):
        yield invalid("status.ready", ready, "cannot set more ready pods than active")
    if met and now.failed:
        yield invalid(_CONDITIONS, OMITTED, "cannot set SuccessCriteriaMet=True and Failed=true conditions")
    if met and "FailureTarget" in now.true:
        yield invalid(_CONDITIONS, OMITTED, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
    if now.spec.get("successPolicy") is not None and not met and now.complete:
        detail = "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"
        yield invalid(_CONDITIONS, OMITTED, detail)


def _history_errors(change: _Change) -> Iterator[FieldError]:
    now, before = change.now, change.before
    for name in ("Failed", "Complete", "FailureTarget"):
        if name in before.true and name not in now.true:
            yield invalid(_CONDITIONS, OMITTED, f"cannot disable the terminal {name}=True condition")
    yield from _counter_errors(change)
    done, then = now.status.get("completionTime"), before.status.get("completionTime")
    if done is not None and then is not None and done != then:
        yield invalid("status.completionTime", done, IMMUTABLE)
    started = now.status.get("startTime")
    resuming = "Suspended" in before.true and "Suspended" in now.false
    kept = before.status.get("startTime") is None or resuming or now.spec.get("suspend") is True
    if change.of("startTime") and not kept:
        yield invalid("status.startTime", started, "field is immutable for unsuspended job once set")
    met, was_met = "SuccessCriteriaMet" in now.true, "SuccessCriteriaMet" in before.true
    if was_met and not met:
        yield invalid(_CONDITIONS, OMITTED, "cannot disable the SuccessCriteriaMet=True condition")
    if before.complete and not was_met and met:
        detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"
        yield invalid(_CONDITIONS, OMITTED, detail)


def _counter_errors(change: _Change) -> Iterator[FieldError]:
    now, before = change.now, change.before
    failed, succeeded = number(now.status.get("failed")), number(now.status.get("succeeded"))
    if failed < number(before.status.get("failed")):
        yield invalid("status.failed", failed, "cannot decrease the failed counter")
    elastic = now.indexed and now.spec.get("completions") == now.spec.get("parallelism")
    if not elastic and succeeded < number(before.status.get("succeeded")):
        yield invalid("status.succeeded", succeeded, "cannot decrease the succeeded counter")
