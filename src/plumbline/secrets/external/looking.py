"""What one look at an ExternalSecret gathers, step by step. Values are in it while it lasts, and it never prints them."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.json import JsonObject
from plumbline.kernel.cache import Key
from plumbline.kernel.outcomes import Stuck
from plumbline.kernel.reconciler import Run
from plumbline.kinds.externalsecrets.externalsecret import ExternalSecretSpec, ExternalSecretStatus
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.object import Object
from plumbline.secrets.external.asking import Answer, Question
from plumbline.secrets.external.due import Asked
from plumbline.secrets.external.known import KnownStore
from plumbline.secrets.external.shaping import Gathered, Plan, secret_name
from plumbline.secrets.external.status import Told

Look: TypeAlias = Run[ExternalSecretSpec, ExternalSecretStatus]

SECRETS: Final = GroupVersionResource("", "v1", "secrets")
FOREIGN: Final = Stuck("Foreign", "another controller looks after a store that it uses")
"""Nothing is said of such an object, and nothing of it undone: that other one does both."""


class At(NamedTuple):
    """How far a look has come."""

    began: datetime | None = None
    stores: tuple[tuple[KnownStore, list[Question]], ...] = ()
    answers: Mapping[Question, Answer | None] = {}
    gathered: Gathered | None = None
    live: JsonObject | None = None
    """The Secret that is there."""
    plan: Plan | None = None
    told: Told | None = None
    """What the object says from now on, once it is known."""

    def __repr__(self) -> str:
        """Without what it holds: values are among it."""
        return f"At(told={self.told!r})"


def key_of(run: Look) -> Key:
    metadata = run.object["metadata"]
    return metadata["namespace"], metadata["name"]


def target_name(run: Look) -> str:
    return secret_name(run.spec, run.object["metadata"]["name"])


def target_of(run: Look) -> Target:
    return Target(SECRETS, run.object["metadata"]["namespace"], target_name(run))


def asked_of(run: Look) -> Asked:
    return Asked(run.spec, run.read.status, version_of(run.object), run.object["metadata"]["uid"])


def version_of(obj: JsonObject) -> str:
    """The object's generation, labels and annotations in a word, as upstream writes it."""
    view = Object(obj)
    text = f"{{annotations:{_printed(view.annotations)} labels:{_printed(view.labels)}}}"
    return f"{view.generation}-{hashlib.sha3_224(text.encode()).hexdigest()}"


def _printed(texts: Mapping[str, str]) -> str:
    """As Go prints a map."""
    return f"map[{' '.join(f'{key}:{texts[key]}' for key in sorted(texts))}]"
