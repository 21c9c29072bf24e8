"""What the plan of one module does, folded: with its attributes, or shorter."""

from collections.abc import Iterator
from typing import Final

from plumbline.terraform.plans.report.escaping import code, fenced, html_code
from plumbline.terraform.plans.report.values import ModulePlan
from plumbline.terraform.plans.texts import headline
from plumbline.terraform.plans.values import Change, Field, OutputChange, Summary
from plumbline.terraform.plans.wording import counted

_ORDER: Final = ("delete", "replace", "forget", "unknown", "update", "import", "create", "move", "read", "no-op")
_SIGNS: Final = {"create": "+", "delete": "-", "replace": "-/+", "update": "!", "forget": "-"}
_ERROR_LINES: Final = 40
_MOST_FIELDS: Final = 40


def details(module: ModulePlan, *, folds: bool, fields: bool) -> str:
    """One section. Without *fields* only what happens to which resource."""
    lines = list(_lines(module, fields=fields))
    if not lines:
        return ""
    title = _title(module)
    body = fenced(lines, "diff")
    if folds:
        return f"<details><summary>{html_code(name(module))}: {title}</summary>\n\n{body}\n\n</details>"
    return f"#### {code(name(module))}: {title}\n\n{body}"


def name(module: ModulePlan) -> str:
    path = module.path or "."
    return path if module.workspace == "default" else f"{path} ({module.workspace})"


def _title(module: ModulePlan) -> str:
    return "failed" if module.summary is None else headline(module.summary)


def _lines(module: ModulePlan, *, fields: bool) -> Iterator[str]:
    if module.error:
        lines = module.error.splitlines()
        yield from (f"! {line}" for line in lines[:_ERROR_LINES])
        if len(lines) > _ERROR_LINES:
            yield f"! … and {counted(len(lines) - _ERROR_LINES, 'more line')}"
    if module.summary is not None:
        yield from _of_summary(module.summary, fields=fields)


def _of_summary(summary: Summary, *, fields: bool) -> Iterator[str]:
    for check in summary.checks:
        yield f"! {check.address}: {'; '.join(check.messages) or check.status}"
    for change in sorted(summary.acting, key=lambda each: (_ORDER.index(each.action), each.address)):
        yield _change(change)
        if fields and change.action != "delete":
            yield from map(_field, change.fields[:_MOST_FIELDS])
            more = len(change.fields[_MOST_FIELDS:]) + change.fields_left_out
            if more:
                yield f"      … and {counted(more, 'more attribute')}"
    yield from map(_output, summary.outputs)
    for change in summary.drift:
        yield f"# changed outside: {change.address}"
        if fields:
            yield from map(_field, change.fields[:_MOST_FIELDS])


def _change(change: Change) -> str:
    sign = _SIGNS.get(change.action, " ")
    notes: list[str] = [change.action]
    if change.order:
        notes.append(change.order)
    if change.previous_address:
        notes.append(f"from {change.previous_address}")
    if change.importing:
        notes.append(f"import of {change.importing}")
    if change.deposed:
        notes.append(f"deposed {change.deposed}")
    return f"{sign} {change.address} ({', '.join(notes)})"


def _field(field: Field) -> str:
    reason = "  # the reason for the replacement" if field.replaces else ""
    if field.before is None:
        return f"      {field.path} = {field.after}{reason}"
    return f"      {field.path}: {field.before} → {field.after if field.after is not None else 'none'}{reason}"


def _output(output: OutputChange) -> str:
    sign = _SIGNS.get(output.action, " ")
    before = output.before if output.before is not None else "none"
    return f"{sign} output {output.name}: {before} → {output.after if output.after is not None else 'none'}"
