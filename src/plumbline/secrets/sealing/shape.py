"""A SealedSecret as it came from outside: what it is has been checked, and nothing of it is opened."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import Json, JsonObject
from plumbline.base.limits import KIB, MIB
from plumbline.secrets.sealing.scopes import Scope, label_of, scope_of

API_VERSION: Final = "bitnami.com/v1alpha1"
KIND: Final = "SealedSecret"
SEALED_WITH: Final = "plumbline.dev/sealed-with"
"""The annotation with the fingerprint of the key that sealed it: a hint which to try first, believed by nobody."""
MOST_ITEMS: Final = 1024
MOST_SEALED_BYTES: Final = 3 * MIB
"""A request to the API server has no more."""
MOST_OPENED_BYTES: Final = 1 * MIB
"""What Kubernetes accepts as the contents of one Secret."""
_MOST_NAMED: Final = 10
_KEY: Final = re.compile(r"[-._a-zA-Z0-9]{1,253}")


class Sealed(NamedTuple):
    name: str
    namespace: str
    annotations: Mapping[str, str]
    items: Mapping[str, Json]
    """The values are texts if all is well."""
    blob: str | None
    """All of a Secret in one, as the first versions sealed it."""
    template: JsonObject

    @property
    def scope(self) -> Scope:
        """From its own annotations, never from those of the template: those anybody may change."""
        return scope_of(self.annotations)

    @property
    def label(self) -> bytes:
        return label_of(self.scope, self.namespace, self.name)

    @property
    def hint(self) -> str:
        return self.annotations.get(SEALED_WITH, "")


def sealed_of(obj: JsonObject, *, accept_blob: bool = True) -> Sealed:
    """Raises InvalidInput for what is no SealedSecret, and LimitExceeded for what is too large to be one."""
    if obj.get("apiVersion") != API_VERSION or obj.get("kind") != KIND:
        raise InvalidInput("it is not a SealedSecret", why=f"those have apiVersion {API_VERSION} and kind {KIND}")
    metadata, spec = fields(obj, "metadata"), fields(obj, "spec")
    items = fields(spec, "encryptedData", "spec.")
    sealed = Sealed(
        name=text_at(metadata, "name", "metadata."),
        namespace=text_at(metadata, "namespace", "metadata."),
        annotations=texts(metadata, "annotations", "metadata."),
        items=items,
        blob=_blob(spec, items, accept_blob=accept_blob),
        template=fields(spec, "template", "spec."),
    )
    _check_size(sealed)
    return sealed


def _blob(spec: JsonObject, items: JsonObject, *, accept_blob: bool) -> str | None:
    blob = spec.get("data")
    if blob is None:
        return None
    hint = "Seal it again with `plumb seal`, which writes encryptedData."
    if not accept_blob:
        raise InvalidInput("the deprecated field spec.data is not accepted here", hint=hint)
    if items:
        raise InvalidInput("spec.encryptedData and the deprecated field spec.data cannot both be set", hint=hint)
    if not isinstance(blob, str):
        raise InvalidInput("spec.data is not a text", hint=hint)
    return blob


def _check_size(sealed: Sealed) -> None:
    if len(sealed.items) > MOST_ITEMS:
        raise LimitExceeded(f"spec.encryptedData has more than {MOST_ITEMS:,} items")
    size = sum(len(key) + (len(value) if isinstance(value, str) else 0) for key, value in sealed.items.items())
    if size + len(sealed.blob or "") > MOST_SEALED_BYTES:
        raise LimitExceeded(f"what is sealed is larger than {MOST_SEALED_BYTES // MIB} MiB")


def check_opened_size(size_bytes: int) -> None:
    if size_bytes > MOST_OPENED_BYTES:
        raise LimitExceeded(f"a Secret holds no more than {MOST_OPENED_BYTES // KIB:,} KiB")


def fields(parent: JsonObject, name: str, where: str = "") -> JsonObject:
    """A mapping, empty where there is none."""
    found = parent.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise InvalidInput(f"{where}{name} is not a mapping")
    return found


def text_at(parent: JsonObject, name: str, where: str = "") -> str:
    found = parent.get(name)
    if found is not None and not isinstance(found, str):
        raise InvalidInput(f"{where}{name} is not a text")
    return found or ""


def texts(parent: JsonObject, name: str, where: str = "") -> dict[str, str]:
    """A mapping of texts, as labels and annotations are."""
    found = fields(parent, name, where)
    wrong = [key for key, value in found.items() if not isinstance(value, str)]
    if wrong:
        raise InvalidInput(f"{where}{name} has values that are not texts: {listed(wrong)}")
    return found


def check_key(key: str) -> None:
    """Raises InvalidInput for what cannot be the name of an item of a Secret."""
    if not _KEY.fullmatch(key) or key == "." or key.startswith(".."):
        raise InvalidInput(
            f"{shown(key)} cannot be the name of an item", why="letters, digits, `-`, `_` and `.` make up such names"
        )


def shown(key: str) -> str:
    """The name of an item in a message, where it comes from outside and may be anything."""
    return key if _KEY.fullmatch(key) else ascii(key[:60])


def listed(keys: Iterable[str]) -> str:
    """Names for a message, in order and not too many."""
    names = sorted(keys)
    text = ", ".join(map(shown, names[:_MOST_NAMED]))
    return f"{text} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else text
