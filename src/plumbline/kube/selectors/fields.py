"""Field selectors: `metadata.name=web,status.phase!=Running`, over the few fields that each kind lets one select by."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import BadSelector
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import printed, quoted
from plumbline.kube.names import GroupVersionKind

Reading: TypeAlias = Callable[[JsonObject], str]
"""The text that a field selector compares with; a field that is not there reads as its zero value."""

_SPECIAL: Final = "\\,="


class Term(NamedTuple):
    field: str
    value: str
    wanted: bool = True

    def __str__(self) -> str:
        escaped = "".join(f"\\{char}" if char in _SPECIAL else char for char in self.value)
        return f"{self.field}{'=' if self.wanted else '!='}{escaped}"


class FieldSelector:
    """All of its terms must hold. Bind it to a kind to match objects with it."""

    __slots__ = ("terms",)

    def __init__(self, terms: tuple[Term, ...] = ()) -> None:
        self.terms = terms

    @classmethod
    def parse(cls, text: str) -> "FieldSelector":
        """Read the query parameter's form, or raise BadSelector with the API server's reason."""
        terms = (_term(text, part) for part in sorted(_parts(text)) if part)
        # The server skips a term with nothing on either side.
        return cls(tuple(term for term in terms if term.field or term.value))

    def bind(self, readings: "SelectableFields") -> "BoundFieldSelector":
        """Make it ready to match objects of one kind, or raise BadSelector for a field one cannot select by."""
        return BoundFieldSelector(tuple((readings.reading(term.field), term.value, term.wanted) for term in self.terms))

    def required_value(self, field: str) -> str | None:
        """The one value that every selected object has in *field*, where the selector says so."""
        return next((term.value for term in self.terms if term.wanted and term.field == field), None)

    @property
    def empty(self) -> bool:
        """Whether it selects everything."""
        return not self.terms

    def __str__(self) -> str:
        """As the API server prints it."""
        return ",".join(map(str, self.terms))

    def __repr__(self) -> str:
        return f"FieldSelector({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldSelector) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.terms)


class BoundFieldSelector(NamedTuple):
    checks: tuple[tuple[Reading, str, bool], ...]

    def matches(self, obj: JsonObject) -> bool:
        return all((read(obj) == value) is wanted for read, value, wanted in self.checks)


class SelectableFields(NamedTuple):
    """The fields of one kind that can be selected by, and how the server words its refusal of others."""

    readings: Mapping[str, Reading]
    refusal: str

    def reading(self, field: str) -> Reading:
        reading = self.readings.get(field)
        if reading is None:
            hint = f"Select by {', '.join(self.readings)}, or by labels."
            raise BadSelector(self.refusal.format(field=field, quoted=quoted(field)), hint=hint)
        return reading


def selectable_fields(gvk: GroupVersionKind) -> SelectableFields:
    """What the API server lets one select built-in objects of *gvk* by."""
    own = _BUILTIN.get((gvk.group, gvk.kind))
    if own is None:
        return _BY_DEFAULT
    return own._replace(refusal=own.refusal.replace("{gvk}", str(gvk)))


def custom_fields(paths: Collection[str], *, namespaced: bool) -> SelectableFields:
    """The same for a custom resource, of whose CRD *paths* are the `selectableFields` (`.spec.size`)."""
    readings = {"metadata.name": text_at("metadata.name")}
    if namespaced:
        readings["metadata.namespace"] = text_at("metadata.namespace")
    readings |= {path.removeprefix("."): text_at(path.removeprefix(".")) for path in paths}
    return SelectableFields(readings, _REFUSAL)


def text_at(path: str, absent: str = "") -> Reading:
    """Read the scalar at a dotted *path*, *absent* where there is none."""
    *parents, last = path.split(".")

    def reading(obj: JsonObject) -> str:
        node: Json = obj
        for name in parents:
            node = node.get(name)
            if not isinstance(node, dict):
                return absent
        value = node.get(last)
        if isinstance(value, str):
            return value
        return absent if value is None or isinstance(value, dict | list) else printed(value)

    return reading


def _first_of(*readings: Reading) -> Reading:
    return lambda obj: next(filter(None, (read(obj) for read in readings)), "")


def _pod_ip(pod: JsonObject) -> str:
    status = pod.get("status")
    addresses = status.get("podIPs") if isinstance(status, dict) else None
    first = addresses[0] if isinstance(addresses, list) and addresses else None
    return text_at("ip")(first) if isinstance(first, dict) else text_at("status.podIP")(pod)


def _never(_: JsonObject) -> str:
    """What the server lets through and then finds in no object."""
    return ""


def _texts(*paths: str) -> dict[str, Reading]:
    return {path: text_at(path) for path in paths}


_METADATA: Final = _texts("metadata.name", "metadata.namespace")
_NAME: Final = _texts("metadata.name")
_REFUSAL: Final = "field label not supported: {field}"
_BY_DEFAULT: Final = SelectableFields(
    _METADATA, '{quoted} is not a known field selector: only "metadata.name", "metadata.namespace"'
)

_INVOLVED: Final = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")


def _involved(field: str) -> Reading:
    """One store serves both kinds of Event, whichever of the two an object was written as."""
    return _first_of(text_at(f"involvedObject.{field}"), text_at(f"regarding.{field}"))


_REPORTER: Final = _first_of(text_at("reportingComponent"), text_at("reportingController"))
_SOURCE: Final = _first_of(text_at("source.component"), text_at("deprecatedSource.component"), _REPORTER)

_BUILTIN: Final[Mapping[tuple[str, str], SelectableFields]] = {
    ("", "Pod"): SelectableFields(
        _METADATA
        | _texts("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName")
        | {"spec.hostNetwork": text_at("spec.hostNetwork", "false"), "spec.host": text_at("spec.nodeName")}
        | _texts("status.phase", "status.nominatedNodeName")
        | {"status.podIP": _pod_ip, "status.podIPs": _never},
        _REFUSAL,
    ),
    ("", "Event"): SelectableFields(
        {f"involvedObject.{field}": _involved(field) for field in _INVOLVED}
        | _texts("reason", "type")
        | {"reportingComponent": _REPORTER, "source": _SOURCE}
        | _METADATA,
        _REFUSAL,
    ),
    ("events.k8s.io", "Event"): SelectableFields(
        {f"regarding.{field}": _involved(field) for field in _INVOLVED}
        | _texts("reason", "type")
        | {"reportingController": _REPORTER}
        | _METADATA,
        _REFUSAL,
    ),
    ("", "Namespace"): SelectableFields(_NAME | _texts("status.phase"), _REFUSAL),
    ("", "Node"): SelectableFields(_NAME | {"spec.unschedulable": text_at("spec.unschedulable", "false")}, _REFUSAL),
    ("", "Secret"): SelectableFields(_METADATA | _texts("type"), _REFUSAL),
    ("", "Service"): SelectableFields(_METADATA | _texts("spec.clusterIP", "spec.type"), _REFUSAL),
    ("", "ReplicationController"): SelectableFields(
        _METADATA | {"status.replicas": text_at("status.replicas", "0")}, _REFUSAL
    ),
    ("batch", "Job"): SelectableFields(
        _METADATA | {"status.successful": text_at("status.succeeded", "0")},
        "field label {quoted} not supported for Job",
    ),
    ("certificates.k8s.io", "CertificateSigningRequest"): SelectableFields(_NAME | _texts("spec.signerName"), _REFUSAL),
    ("certificates.k8s.io", "ClusterTrustBundle"): SelectableFields(_NAME | _texts("spec.signerName"), _REFUSAL),
    ("certificates.k8s.io", "PodCertificateRequest"): SelectableFields(
        _NAME | _texts("spec.signerName", "spec.podName", "spec.nodeName"), _REFUSAL
    ),
    ("resource.k8s.io", "ResourceSlice"): SelectableFields(
        _NAME | _texts("spec.nodeName", "spec.driver"), "field label not supported for {gvk}: {field}"
    ),
}


def _parts(text: str) -> Iterator[str]:
    start, escaped = 0, False
    for index, char in enumerate(text):
        if escaped or char == "\\":
            escaped = not escaped
        elif char == ",":
            yield text[start:index]
            start = index + 1
    yield text[start:]


def _term(text: str, part: str) -> Term:
    for index, char in enumerate(part):
        if part.startswith("!=", index):
            return Term(part[:index], _unescaped(part[index + 2 :]), wanted=False)
        if char == "=":
            return Term(part[:index], _unescaped(part[index + 1 :].removeprefix("=")))
    raise _bad(f"invalid selector: '{text}'; can't understand '{part}'")


def _unescaped(value: str) -> str:
    chars: list[str] = []
    escaped = False
    for char in value:
        if escaped:
            if char not in _SPECIAL:
                raise _bad(f"invalid field selector: invalid escape sequence: \\{char}")
            chars.append(char)
            escaped = False
        elif char == "\\":
            escaped = True
        elif char in _SPECIAL:
            raise _bad(f"invalid field selector: unescaped character in value: {ord(char)}")
        else:
            chars.append(char)
    if escaped:
        raise _bad("invalid field selector: invalid escape sequence: \\")
    return "".join(chars)


def _bad(what: str) -> BadSelector:
    return BadSelector(what, hint="Write field selectors as field=value or field!=value, with \\ before \\ , and =.")
