"""Webhook configurations, read into what a request is matched against."""

from enum import Enum
from typing import Final

import msgspec

from plumbline.apiserver.resources.resource import Collection
from plumbline.base.json import JsonObject
from plumbline.kube.selectors.labels import EVERYTHING, LabelSelector

GROUP: Final = "admissionregistration.k8s.io"
MUTATING: Final = Collection(GROUP, "mutatingwebhookconfigurations")
VALIDATING: Final = Collection(GROUP, "validatingwebhookconfigurations")
EXEMPT: Final = frozenset(
    {
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    }
)
"""No webhook is asked about these: one that refuses everything could not be removed."""


class Service(msgspec.Struct, frozen=True):
    namespace: str
    name: str
    path: str = ""
    port: int = 443


class ClientConfig(msgspec.Struct, frozen=True, rename={"ca_bundle": "caBundle"}):
    url: str = ""
    ca_bundle: bytes = b""
    service: Service | None = None


class Rule(msgspec.Struct, frozen=True, rename={"groups": "apiGroups", "versions": "apiVersions"}):
    operations: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    scope: str = "*"


class Condition(msgspec.Struct, frozen=True):
    name: str
    expression: str


class _Written(msgspec.Struct, frozen=True, rename="camel"):
    """One webhook as a configuration holds it, after defaulting."""

    name: str
    client_config: ClientConfig
    rules: tuple[Rule, ...] = ()
    failure_policy: str = "Fail"
    match_policy: str = "Equivalent"
    namespace_selector: JsonObject = msgspec.field(default_factory=dict)
    object_selector: JsonObject = msgspec.field(default_factory=dict)
    side_effects: str = ""
    timeout_seconds: int = 10
    admission_review_versions: tuple[str, ...] = ()
    reinvocation_policy: str = "Never"
    match_conditions: tuple[Condition, ...] = ()


class _Named(msgspec.Struct, frozen=True):
    name: str


class _Configuration(msgspec.Struct, frozen=True):
    metadata: _Named
    webhooks: tuple[_Written, ...] = ()


class ReviewVersion(Enum):
    V1 = "v1"
    V1BETA1 = "v1beta1"


class Hook(msgspec.Struct, frozen=True):
    uid: str
    """Tells apart webhooks of the same name."""
    name: str
    client: ClientConfig
    rules: tuple[Rule, ...]
    ignores_failure: bool
    equivalent: bool
    """Whether a rule for another version of the same objects counts."""
    namespaces: LabelSelector
    objects: LabelSelector
    side_effects: str
    timeout_s: int
    version: ReviewVersion | None
    """The first that both sides know."""
    reinvoked: bool
    conditions: tuple[Condition, ...]

    @property
    def dry_runs(self) -> bool:
        """Whether it can be asked about what will not be done."""
        return self.side_effects in ("None", "NoneOnDryRun")


_decoder: Final = msgspec.json.Decoder(_Configuration)


def hooks_of(body: bytes) -> tuple[Hook, ...]:
    """The webhooks of a stored configuration, in its order; raises MsgspecError or BadSelector for what validation missed."""
    configuration = _decoder.decode(body)
    seen: dict[str, int] = {}
    found = []
    for written in configuration.webhooks:
        count = seen.get(written.name, 0)
        seen[written.name] = count + 1
        found.append(_hook(written, f"{configuration.metadata.name}/{written.name}/{count}"))
    return tuple(found)


def _hook(written: _Written, uid: str) -> Hook:
    return Hook(
        uid,
        written.name,
        written.client_config,
        written.rules,
        written.failure_policy == "Ignore",
        written.match_policy == "Equivalent",
        _selector(written.namespace_selector),
        _selector(written.object_selector),
        written.side_effects,
        written.timeout_seconds,
        _version(written.admission_review_versions),
        written.reinvocation_policy == "IfNeeded",
        written.match_conditions,
    )


def _version(offered: tuple[str, ...]) -> ReviewVersion | None:
    known = {each.value: each for each in ReviewVersion}
    return next((known[each] for each in offered if each in known), None)


def _selector(written: JsonObject) -> LabelSelector:
    return LabelSelector.from_object(written) if written else EVERYTHING
