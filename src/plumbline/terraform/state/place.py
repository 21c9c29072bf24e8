"""Where a state is kept: upstream's names of its Secrets and its Lease. Pure."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.kernel.leases import LEASES
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.spelling import dns_label_faults, dns_subdomain_faults, label_key_faults, label_value_faults

SECRETS: Final = GroupVersionResource("", "v1", "secrets")
STATE_LABEL: Final = "tfstate"
SUFFIX_LABEL: Final = "tfstateSecretSuffix"
WORKSPACE_LABEL: Final = "tfstateWorkspace"
MANAGED_BY_LABEL: Final = "app.kubernetes.io/managed-by"
MOST_PARTS: Final = 64
_OURS: Final = frozenset({STATE_LABEL, SUFFIX_LABEL, WORKSPACE_LABEL})
_LARGEST: Final = 2**63 - 1
_CHUNKED_SINCE: Final = (1, 6)
_REFUSED_SINCE: Final = (1, 10)
_last_number = re.compile(r"(?:.*-)?([0-9]+)", re.DOTALL).fullmatch


class Place(msgspec.Struct, frozen=True, order=True):
    """One state. It cannot be made of names that Kubernetes does not take."""

    namespace: str
    workspace: str
    suffix: str
    extra: tuple[tuple[str, str], ...] = ()
    """Labels that the backend's configuration adds. Terraform does not find a state that lacks one of them."""

    def __post_init__(self) -> None:
        faults = (
            *_told("the namespace", self.namespace, dns_label_faults(self.namespace)),
            *_told("the workspace", self.workspace, _value_faults(self.workspace)),
            *_told("the suffix", self.suffix, _value_faults(self.suffix)),
            *_told("the name of its last Secret", self.part(MOST_PARTS), dns_subdomain_faults(self.part(MOST_PARTS))),
            *(fault for key, value in self.extra for fault in _label_faults(key, value)),
        )
        if faults:
            raise InvalidInput(
                "There can be no state under these names",
                why=faults[0],
                hint="Set a workspace and a secretSuffix of small letters, digits and dashes, together below 230 letters.",
            )

    @property
    def name(self) -> str:
        return f"tfstate-{self.workspace}-{self.suffix}"

    def part(self, number: int) -> str:
        """The Secret of the *number*th piece; the first one has the plain name."""
        return f"{self.name}-part-{number}" if number else self.name

    def number(self, secret: str) -> int | None:
        """Which piece the Secret of that name holds; None where it is none of this state."""
        if secret == self.name:
            return 0
        found = re.fullmatch(r"-part-([1-9][0-9]{0,3})", secret.removeprefix(self.name))
        return int(found[1]) if found and secret.startswith(self.name) else None

    @property
    def secret(self) -> Target:
        return Target(SECRETS, self.namespace, self.name)

    @property
    def lease(self) -> Target:
        return Target(LEASES, self.namespace, f"lock-{self.name}")

    @property
    def labels(self) -> dict[str, str]:
        """As upstream writes them: what the configuration adds may say who manages it."""
        return {
            STATE_LABEL: "true",
            SUFFIX_LABEL: self.suffix,
            WORKSPACE_LABEL: self.workspace,
            MANAGED_BY_LABEL: "terraform",
            **dict(self.extra),
        }

    @property
    def selector(self) -> str:
        """Finds it whoever wrote it, and whatever labels were added since."""
        return f"{STATE_LABEL}=true,{SUFFIX_LABEL}={self.suffix},{WORKSPACE_LABEL}={self.workspace}"

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


def strays(place: Place, labels: Mapping[str, str]) -> str:
    """Whose state *labels* say that it is, where they say another than *place*: two pairs of names can make one name."""
    workspace, suffix = labels.get(WORKSPACE_LABEL, place.workspace), labels.get(SUFFIX_LABEL, place.suffix)
    if (workspace, suffix) == (place.workspace, place.suffix):
        return ""
    return f"workspace {workspace} with suffix {suffix}"


def refuse_unfit(place: Place, tool: str, version: str) -> None:
    """Raise InvalidInput where that version of the tool would not take the suffix, or lose its state over it."""
    found = _last_number(place.suffix)
    if tool != "terraform" or found is None or int(found[1]) > _LARGEST:
        return
    since = tuple(int(part) for part in re.findall(r"[0-9]+", version)[:2])
    if since < _CHUNKED_SINCE:
        return
    why = f"terraform {version} takes the number at the end of {place.suffix} for that of a piece of a larger state"
    if since >= _REFUSED_SINCE and "-" in place.suffix:
        why = f"terraform {version} refuses a suffix that ends in a dash and a number, as {place.suffix} does"
    raise InvalidInput(
        f"Terraform cannot keep its state as {place}",
        why=why,
        hint=f"Set backendConfig.secretSuffix to a name such as {place.suffix}-state and move the state there, or use OpenTofu.",
    )


def _value_faults(value: str) -> list[str]:
    return label_value_faults(value) if value else ["it is empty"]


def _label_faults(key: str, value: str) -> tuple[str, ...]:
    if key in _OURS:
        return (f"the label {key} cannot be set: the state is found by it",)
    return _told("the label", f"{key}={value}", [*label_key_faults(key), *label_value_faults(value)])


def _told(what: str, value: str, faults: list[str]) -> tuple[str, ...]:
    return tuple(f"{what} {value!r}: {fault}" for fault in faults)
