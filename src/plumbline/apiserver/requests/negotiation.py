"""In which form the caller wants the answer."""

from functools import lru_cache
from typing import Final, NamedTuple

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Call
from plumbline.apiserver.tables.partial import MetaVersion

_OFFERED: Final = ("application/json", "application/yaml")
_ANY: Final = frozenset({"*/*", "application/*"})
_META_GROUP: Final = "meta.k8s.io"
_BROWSERS: Final = ("curl", "Wget", "Mozilla/5.0")


class Representation(NamedTuple):
    yaml: bool = False
    form: str = ""
    """Table, PartialObjectMetadata or PartialObjectMetadataList; empty for the object itself."""
    version: MetaVersion = "v1"
    """Of meta.k8s.io, for the forms that are its kinds."""


def negotiated(call: Call, forms: tuple[str, ...] = ()) -> Representation:
    """The first form that the caller accepts and that is offered here."""
    return _negotiated(call.headers.get("accept", ""), forms)


def wants_indentation(call: Call) -> bool:
    """Asked for, or typed by a person who did not ask otherwise."""
    asked = call.parameters.get("pretty")
    if asked:
        return asked[0] not in ("false", "0")
    return call.user_agent.startswith(_BROWSERS)


@lru_cache(maxsize=256)
def _negotiated(accept: str, forms: tuple[str, ...]) -> Representation:
    for clause in accept.split(",") if accept else ("*/*",):
        media, *parameters = (part.strip() for part in clause.split(";"))
        found = dict(part.split("=", 1) for part in parameters if "=" in part)
        if media not in _ANY and media not in _OFFERED:
            continue
        form = found.get("as", "")
        if form and not _is_offered(found, forms):
            continue
        version: MetaVersion = "v1beta1" if found.get("v") == "v1beta1" else "v1"
        return Representation(media == "application/yaml", form, version)
    raise statuses.not_acceptable((*_OFFERED, "application/vnd.kubernetes.protobuf"))


def _is_offered(parameters: dict[str, str], forms: tuple[str, ...]) -> bool:
    version = parameters.get("v")
    return parameters["as"] in forms and parameters.get("g") == _META_GROUP and version in ("v1", "v1beta1")
