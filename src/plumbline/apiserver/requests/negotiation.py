"""In which form the caller wants the answer."""

from functools import lru_cache
from typing import Final, Literal, NamedTuple, cast

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Call
from plumbline.apiserver.decoding.registered import internal_type
from plumbline.apiserver.models.model import Model
from plumbline.apiserver.tables.partial import MetaVersion
from plumbline.base.errors import RequestRefused

Extent = Literal["object", "list", "watch"]
"""How much is answered."""

_JSON: Final = "application/json"
_YAML: Final = "application/yaml"
_PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
_OFFERED: Final = (_JSON, _YAML)
_KNOWN: Final = (*_OFFERED, _PROTOBUF)
"""What the server speaks of; who takes nothing but the last is told of the others."""
_STREAMED: Final = (f"{_JSON};stream=watch", f"{_PROTOBUF};stream=watch")

_TABLE, _PARTIAL, _PARTIAL_LIST = "Table", "PartialObjectMetadata", "PartialObjectMetadataList"
_FORMS: Final = frozenset({_TABLE, _PARTIAL, _PARTIAL_LIST})
_META_GROUP: Final = "meta.k8s.io"
_META_VERSIONS: Final = ("v1", "v1beta1")
_BROWSERS: Final = ("curl", "Wget", "Mozilla/5.0")
_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})


class Representation(NamedTuple):
    yaml: bool = False
    form: str = ""
    """Table, PartialObjectMetadata or PartialObjectMetadataList; empty for the object itself."""
    version: MetaVersion = "v1"
    """Of meta.k8s.io, for the forms that are its kinds."""
    indented: bool = False


class Clause(NamedTuple):
    """One of those that an Accept header consists of."""

    type: str
    subtype: str
    quality: float
    parameters: dict[str, str]

    def matches(self, media: str) -> bool:
        type_, _, subtype = media.partition("/")
        return (
            self.type in (type_, "*") and self.subtype in (subtype, "*") and (self.type != "*" or self.subtype == "*")
        )

    def before(self, other: "Clause") -> bool:
        """As the server sorts them, which is no order: a star comes later whatever its quality."""
        if self.quality > other.quality:
            return True
        return (self.type != "*" and other.type == "*") or (self.subtype != "*" and other.subtype == "*")


def negotiated(call: Call, model: Model, extent: Extent = "object") -> Representation:
    """The form that the caller likes best of those that are offered for *model*; refuses where there is none."""
    accept = call.headers.get("accept", "")
    return _negotiated(accept, extent, custom=model.structure is None) if accept else Representation()


def prefers_yaml(call: Call) -> bool:
    """Whether an answer that is no object is given as YAML."""
    accept = call.headers.get("accept", "")
    if _YAML not in accept:
        return False
    try:
        return _negotiated(accept, "object", custom=True).yaml
    except RequestRefused:
        return False


def wants_indentation(call: Call) -> bool:
    """Asked for, or typed by a person who did not ask otherwise."""
    asked = call.parameter("pretty") if "pretty" in call.query else ""
    return asked in _TRUE if asked else call.user_agent.startswith(_BROWSERS)


def refuse_form(wanted: Representation, model: Model, *, lists: bool) -> None:
    """Lists are asked for as lists, and objects as objects; found out only when there is one."""
    if wanted.form != (_PARTIAL if lists else _PARTIAL_LIST):
        return
    if model.structure is not None:
        kind = internal_type(model.resource.kind, model.resource.kind.group)
    elif lists:
        kind = "unstructured.Unstructured"
    else:
        raise statuses.plain_failure(500, "content is not a list")
    found = f"a list (*{kind}List)" if lists else f"not a list (*{kind})"
    why = f"you requested {wanted.form}, but the requested object is {found}"
    raise statuses.failure(406, "NotAcceptable", why)


@lru_cache(maxsize=256)
def _negotiated(accept: str, extent: Extent, *, custom: bool) -> Representation:
    if not custom:
        _refuse_unroutable(accept, extent)
    protobuf = False
    for clause in clauses_of(accept):
        for media in _KNOWN:
            if not clause.matches(media) or not _allowed(clause.parameters, media, custom=custom):
                continue
            if media == _PROTOBUF:
                protobuf = True
                continue
            if extent == "watch" and media == _YAML:
                raise statuses.not_acceptable(_STREAMED)
            return _representation(clause.parameters, media)
    raise statuses.not_acceptable(_OFFERED if protobuf else _KNOWN)


def _refuse_unroutable(accept: str, extent: Extent) -> None:
    """Before the server negotiates, its router looks for a type that is offered literally."""
    types = (clause.partition(";")[0].strip(" ") for clause in accept.split(","))
    if not any(each == "*/*" or each in _KNOWN for each in types):
        available = _KNOWN if extent == "object" else (*_KNOWN, *_STREAMED)
        why = f"406: Not Acceptable\n\nAvailable representations: {', '.join(available)}"
        raise statuses.failure(406, "NotAcceptable", why, causes=[])


def _allowed(parameters: dict[str, str], media: str, *, custom: bool) -> bool:
    stream, version = parameters.get("stream"), parameters.get("sv")
    if stream and (media == _YAML or stream != "watch"):
        return False
    if version and version != "v1":
        return False
    if not parameters.keys() & {"as", "g", "v"}:
        return media != _PROTOBUF or not custom
    if parameters.get("g") != _META_GROUP or parameters.get("v") not in _META_VERSIONS:
        return False
    form = parameters.get("as")
    return form in _FORMS and (form != _TABLE or media != _PROTOBUF)


def _representation(parameters: dict[str, str], media: str) -> Representation:
    version = cast("MetaVersion", parameters.get("v", "v1"))
    return Representation(media == _YAML, parameters.get("as", ""), version, parameters.get("pretty") == "1")


def clauses_of(accept: str) -> list[Clause]:
    """Those that are well-formed, the most wanted first."""
    found: list[Clause] = []
    for part in accept.split(","):
        clause = _clause(part.strip(" "))
        if clause is None:
            continue
        at = len(found)
        while at and clause.before(found[at - 1]):
            at -= 1
        found.insert(at, clause)
    return found


def _clause(part: str) -> Clause | None:
    media, *rest = part.split(";")
    type_, slash, subtype = media.partition("/")
    type_ = type_.strip(" ")
    if not subtype:
        subtype = "*" if type_ == "*" else ""
    if not subtype or "/" in subtype.rstrip("/") or (slash and subtype.count("/") > 1):
        return None
    quality, parameters = 1.0, {}
    for each in rest:
        name, _, value = each.partition("=")
        if not value or "=" in value.rstrip("="):
            continue
        value = value.rstrip("=") if value.endswith("=") else value
        if name.strip(" ") == "q":
            quality = _number(value)
        else:
            parameters[name.strip(" ")] = value.strip(" ")
    return Clause(type_, subtype.rstrip("/").strip(" "), quality, parameters)


def _number(written: str) -> float:
    """Zero where it is none: that is not an error, only not wanted much."""
    try:
        return float(written) if not written[:1].isspace() and not written[-1:].isspace() else 0.0
    except ValueError:
        return 0.0
