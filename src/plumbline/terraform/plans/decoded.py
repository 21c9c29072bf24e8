"""A plan in JSON, as far as anybody here looks at it. Everything in it may be a secret; nothing of it leaves this room."""

from typing import Any, Final

import msgspec

from plumbline.base.errors import BadDocument, LimitExceeded, TooNew
from plumbline.base.limits import MIB
from plumbline.base.plaintext import Plaintext

LARGEST_BYTES: Final = 64 * MIB
MOST_CHANGES: Final = 20_000
_MAJOR: Final = "1"

Raw = msgspec.Raw
_NULL: Final = Raw(b"null")


class Importing(msgspec.Struct, frozen=True):
    id: str | None = None
    identity: Any = None
    unknown: bool = False


class RawChange(msgspec.Struct, frozen=True):
    """Values are decoded one change at a time: all of them together would take many times the bytes of the plan."""

    actions: list[str]
    before: Raw = _NULL
    after: Raw = _NULL
    after_unknown: Raw = _NULL
    before_sensitive: Raw = _NULL
    after_sensitive: Raw = _NULL
    replace_paths: list[list[Any]] | None = None
    importing: Importing | None = None


class RawResourceChange(msgspec.Struct, frozen=True):
    address: str
    change: RawChange
    previous_address: str = ""
    module_address: str = ""
    mode: str = "managed"
    type: str = ""
    name: str = ""
    provider_name: str = ""
    deposed: str = ""
    action_reason: str = ""


class RawDeferred(msgspec.Struct, frozen=True):
    resource_change: RawResourceChange
    reason: str = ""


class StateResource(msgspec.Struct, frozen=True):
    address: str = ""
    mode: str = "managed"
    type: str = ""
    values: Raw = _NULL
    sensitive_values: Raw = _NULL


class StateModule(msgspec.Struct, frozen=True):
    resources: list[StateResource] | None = None
    child_modules: "list[StateModule] | None" = None


class StateOutput(msgspec.Struct, frozen=True):
    sensitive: bool = False
    value: Raw = _NULL


class StateValues(msgspec.Struct, frozen=True):
    root_module: StateModule | None = None
    outputs: dict[str, StateOutput] | None = None


class PriorState(msgspec.Struct, frozen=True):
    values: StateValues | None = None


class VariableValue(msgspec.Struct, frozen=True):
    value: Raw = _NULL


class VariableBlock(msgspec.Struct, frozen=True):
    sensitive: bool = False


class ConfiguredResource(msgspec.Struct, frozen=True):
    mode: str = "managed"
    type: str = ""
    provisioners: list[Raw] | None = None


class ConfiguredCall(msgspec.Struct, frozen=True):
    module: "ConfiguredModule | None" = None


class ConfiguredModule(msgspec.Struct, frozen=True):
    resources: list[ConfiguredResource] | None = None
    module_calls: dict[str, ConfiguredCall] | None = None
    variables: dict[str, VariableBlock] | None = None


class ProviderConfig(msgspec.Struct, frozen=True):
    full_name: str = ""


class Configuration(msgspec.Struct, frozen=True):
    provider_config: dict[str, ProviderConfig] | None = None
    root_module: ConfiguredModule | None = None


class CheckAddress(msgspec.Struct, frozen=True):
    kind: str = ""
    to_display: str = ""


class Problem(msgspec.Struct, frozen=True):
    message: str = ""


class CheckInstance(msgspec.Struct, frozen=True):
    status: str = ""
    problems: list[Problem] | None = None


class RawCheck(msgspec.Struct, frozen=True):
    address: CheckAddress = CheckAddress()
    status: str = ""
    instances: list[CheckInstance] | None = None


class Invocation(msgspec.Struct, frozen=True):
    address: str = ""


class RawPlan(msgspec.Struct, frozen=True):
    format_version: str
    terraform_version: str = ""
    variables: dict[str, VariableValue] | None = None
    resource_changes: list[RawResourceChange] | None = None
    resource_drift: list[RawResourceChange] | None = None
    deferred_changes: list[RawDeferred] | None = None
    action_invocations: list[Invocation] | None = None
    output_changes: dict[str, RawChange] | None = None
    prior_state: PriorState | None = None
    configuration: Configuration | None = None
    checks: list[RawCheck] | None = None
    applyable: bool | None = None
    complete: bool | None = None
    errored: bool = False


_decoder: Final = msgspec.json.Decoder(RawPlan)


def decoded(json: Plaintext) -> RawPlan:
    """Raises BadDocument, LimitExceeded, TooNew; none of them tells anything of what is in the plan."""
    content = json.reveal()
    check_size(content)
    try:
        plan = _decoder.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadDocument(
            "The plan cannot be read",
            why="it is not what `show -json` prints",
            hint="Plan again with Terraform 1.5 or later, or OpenTofu.",
        ) from None
    _check_version(plan.format_version)
    lists = (plan.resource_changes, plan.resource_drift, plan.deferred_changes, plan.output_changes, plan.checks)
    if sum(len(each) for each in lists if each) > MOST_CHANGES:
        raise LimitExceeded(
            "The plan is too large to be judged",
            why=f"it has more than {MOST_CHANGES:,} changes",
            hint="Split the root module, or plan with spec.targets.",
        )
    return plan


def check_size(content: bytes) -> None:
    if len(content) > LARGEST_BYTES:
        raise LimitExceeded(
            "The plan is too large to be judged",
            why=f"its JSON has more than {LARGEST_BYTES:,} bytes",
            hint="Split the root module, or plan with spec.targets.",
        )


def _check_version(version: str) -> None:
    major = version.partition(".")[0]
    if major == _MAJOR:
        return
    if major.isdecimal() and len(major) < len("1000") and int(major) > int(_MAJOR):
        raise TooNew(
            "The plan cannot be read",
            why=f"its JSON has format {major}, and this version of plumb reads format {_MAJOR}",
            hint="Use a later version of plumb, or an earlier one of the tool.",
        )
    raise BadDocument("The plan cannot be read", why=f"its JSON does not have format {_MAJOR}")
