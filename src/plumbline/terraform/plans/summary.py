"""From a plan's JSON to what it comes to. What goes in may be full of secrets; what comes out holds none."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from plumbline.base.errors import BadDocument
from plumbline.base.json import Json
from plumbline.base.plaintext import Plaintext
from plumbline.terraform.plans.decoded import (
    ConfiguredModule,
    ConfiguredResource,
    RawChange,
    RawCheck,
    RawPlan,
    RawResourceChange,
    StateModule,
    StateResource,
    decoded,
)
from plumbline.terraform.plans.fields import (
    MOST_OF_ONE,
    Difference,
    Sides,
    differences,
    fields,
    path_text,
    rendered,
)
from plumbline.terraform.plans.masks import LONGEST_SHOWN, marks_any, masks_of, opened
from plumbline.terraform.plans.protections import openings, weakened, weakening
from plumbline.terraform.plans.values import (
    Action,
    Change,
    Counts,
    Deferred,
    FailedCheck,
    Order,
    OutputChange,
    Summary,
    Weakened,
)
from plumbline.terraform.plans.wording import HIDDEN, SENSITIVE, UNKNOWN, block_address, cut, plain

_MOST_FIELDS: Final = 20_000
_MOST_MESSAGES: Final = 20
_LONGEST_NAME: Final = 1_000
_KEY: Final = re.compile(r'\["(?:[^"\\]|\\.)*"\]')
_FAILED: Final = frozenset({"fail", "error"})
_ORDERS: Final[dict[tuple[str, ...], Order]] = {
    ("delete", "create"): "delete-first",
    ("create", "delete"): "create-first",
    ("create", "forget"): "old-is-forgotten",
}
_SINGLE: Final[dict[str, Action]] = {
    "create": "create",
    "read": "read",
    "update": "update",
    "delete": "delete",
    "forget": "forget",
    "no-op": "no-op",
}


def summarised(json: Plaintext) -> Summary:
    """What `show -json` printed, without secrets. Raises BadDocument, LimitExceeded, TooNew."""
    plan = decoded(json)
    try:
        return _Summing(plan).summary()
    except RecursionError:
        raise BadDocument("The plan cannot be read", why="values in it are nested too deep") from None


class _Summing:
    def __init__(self, plan: RawPlan) -> None:
        self._plan = plan
        self._masks = masks_of(plan)
        self._room = _MOST_FIELDS

    def summary(self) -> Summary:
        plan = self._plan
        changes = tuple(map(self._change, plan.resource_changes or ()))
        outputs = (self._output(name, change) for name, change in sorted((plan.output_changes or {}).items()))
        prior = [resource for resource in _prior(plan) if resource.mode == "managed"]
        configured = list(_configured(plan.configuration.root_module if plan.configuration else None))
        return Summary(
            terraform_version=self._word(plan.terraform_version),
            changes=changes,
            drift=tuple(self._change(each, drift=True) for each in plan.resource_drift or ()),
            outputs=tuple(output for output in outputs if output.action != "no-op"),
            checks=tuple(self._check(check) for check in plan.checks or () if check.status in _FAILED),
            deferred=tuple(
                Deferred(
                    address=self._address(each.resource_change.address),
                    action=_action(each.resource_change),
                    reason=self._word(each.reason),
                )
                for each in plan.deferred_changes or ()
            ),
            invocations=tuple(self._address(each.address) for each in plan.action_invocations or ()),
            counts=_counts(changes),
            managed=len(prior),
            blocks=frozenset(block_address(self._address(resource.address)) for resource in prior),
            providers=_providers(plan),
            has_external_data=any(each.mode == "data" and each.type == "external" for each in configured),
            has_provisioners=any(each.provisioners for each in configured),
            errored=plan.errored,
            applyable=plan.applyable if plan.applyable is not None else not plan.errored,
            complete=plan.complete if plan.complete is not None else not plan.errored,
        )

    def _change(self, raw: RawResourceChange, *, drift: bool = False) -> Change:
        change = raw.change
        found: list[Difference] = []
        weak: tuple[Weakened, ...] = ()
        action = _action(raw)
        reasons = tuple(path_text(tuple(path), self._masks) for path in change.replace_paths or () if _is_path(path))
        if bytes(change.before) != bytes(change.after) or marks_any(opened(change.after_unknown)):
            sides = _sides(change)
            found = list(differences(sides))
            weak = () if drift else self._weakened(action, sides, found)
        shown, left_out = fields(iter(found), self._masks, frozenset(reasons), min(MOST_OF_ONE, self._room))
        self._room -= len(shown)
        return Change(
            address=self._address(raw.address),
            action=action,
            actions=tuple(map(self._word, change.actions[:4])),
            order=_ORDERS.get(tuple(change.actions), "") if action == "replace" else "",
            previous_address=self._address(raw.previous_address),
            module=self._address(raw.module_address),
            mode=self._word(raw.mode),
            type=self._word(raw.type),
            name=self._word(raw.name),
            provider=self._word(raw.provider_name),
            action_reason=self._word(raw.action_reason),
            replace_paths=reasons,
            importing=self._imported(change),
            deposed=self._word(raw.deposed),
            fields=shown,
            fields_left_out=left_out,
            weakened=weak,
        )

    def _weakened(self, action: Action, sides: Sides, found: list[Difference]) -> tuple[Weakened, ...]:
        """What no longer keeps from harm, in what stays or comes. Looks at all of it, however little is shown."""
        weak: dict[str, Weakened] = {}
        if action in {"update", "replace", "unknown"}:
            for each in found:
                verdict = weakening(each)
                if verdict:
                    text = cut(path_text(each.path, self._masks))
                    weak[text] = weakened(text, verdict)
        if action in {"create", "update", "replace", "unknown"}:
            known = openings(sides.before)
            for opening, path in openings(sides.after).items():
                if opening not in known:
                    text = cut(path_text(path, self._masks))
                    weak.setdefault(text, weakened(text, ("opens", "everybody can reach it")))
        return tuple(weak.values())

    def _output(self, name: str, change: RawChange) -> OutputChange:
        sides = _sides(change)
        sensitive = sides.is_sensitive
        before = rendered(sides.before, sensitive or sides.before_mask, self._masks, name)
        after = rendered(sides.after, sensitive or sides.after_mask, self._masks, name)
        if marks_any(sides.unknown):
            after = SENSITIVE if sensitive else UNKNOWN
        return OutputChange(
            name=self._word(name),
            action=_action(RawResourceChange(name, change)),
            before=before,
            after=after,
            sensitive=sensitive,
        )

    def _check(self, check: RawCheck) -> FailedCheck:
        problems = (problem for instance in check.instances or () for problem in instance.problems or ())
        messages = [self._value(problem.message) for _, problem in zip(range(_MOST_MESSAGES), problems, strict=False)]
        return FailedCheck(
            address=self._address(check.address.to_display),
            kind=self._word(check.address.kind),
            status=check.status,
            messages=tuple(messages),
        )

    def _imported(self, change: RawChange) -> str:
        if change.importing is None:
            return ""
        if change.importing.id:
            return self._value(change.importing.id)
        return UNKNOWN if change.importing.unknown else "(by its identity)"

    def _address(self, address: str) -> str:
        """Names in an address are those of the configuration; only keys of instances are values."""
        if "[" not in address:
            return self._word(address)
        return self._word(_KEY.sub(lambda key: f'["{self._masked(key[0][2:-2])}"]', address[:LONGEST_SHOWN]))

    def _value(self, text: str) -> str:
        return cut(plain(self._masked(text)), _LONGEST_NAME)

    def _masked(self, text: str) -> str:
        return self._masks.mask(text) if len(text) <= LONGEST_SHOWN else HIDDEN

    def _word(self, text: str) -> str:
        return cut(plain(text[:LONGEST_SHOWN]), _LONGEST_NAME)


def _sides(change: RawChange) -> Sides:
    parts = (change.before, change.after, change.after_unknown, change.before_sensitive, change.after_sensitive)
    return Sides(*map(opened, parts))


def _action(raw: RawResourceChange) -> Action:
    actions = raw.change.actions
    if len(actions) == 1:
        action = _SINGLE.get(actions[0], "unknown")
    elif tuple(actions) in _ORDERS:
        return "replace"
    else:
        action = "delete" if "delete" in actions else "unknown"
    if action == "no-op":
        if raw.change.importing is not None:
            return "import"
        if raw.previous_address and raw.previous_address != raw.address:
            return "move"
    return action


def _counts(changes: Iterable[Change]) -> Counts:
    counted = Counter(change.action for change in changes if change.action not in {"import", "move"})
    return Counts(
        create=counted["create"],
        update=counted["update"],
        delete=counted["delete"],
        replace=counted["replace"],
        forget=counted["forget"],
        import_=sum(bool(change.importing) for change in changes),
        move=sum(bool(change.previous_address) and change.previous_address != change.address for change in changes),
        read=counted["read"],
    )


def _prior(plan: RawPlan) -> Iterator[StateResource]:
    state = plan.prior_state.values if plan.prior_state else None
    waiting: list[StateModule] = [state.root_module] if state and state.root_module else []
    while waiting:
        module = waiting.pop()
        yield from module.resources or ()
        waiting += module.child_modules or ()


def _configured(root: ConfiguredModule | None) -> Iterator[ConfiguredResource]:
    waiting = [root] if root else []
    while waiting:
        module = waiting.pop()
        yield from module.resources or ()
        waiting += [call.module for call in (module.module_calls or {}).values() if call.module]


def _providers(plan: RawPlan) -> tuple[str, ...]:
    """Addresses such as `registry.terraform.io/hashicorp/aws` of all that are configured or used."""
    configured = (plan.configuration.provider_config if plan.configuration else None) or {}
    named = {each.full_name for each in configured.values()}
    used = {each.provider_name for each in plan.resource_changes or ()}
    return tuple(sorted(plain(name) for name in named | used if name))


def _is_path(path: Json) -> bool:
    return bool(path) and all(isinstance(step, str | int) and not isinstance(step, bool) for step in path)
