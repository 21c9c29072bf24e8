"""Two kinds of our own: one with every list and map type, one that keeps what its schema does not know."""

from tests.conformance.differential.spots import Entries, Items, Members, Value, atomic

from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind

from .subject import WORDS, Subject

_GROUP = "matrix.example.org"
_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}


def _record(required: tuple[str, ...] = (), **properties: Json) -> JsonObject:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def _list(items: Json, kind: str = "", keys: tuple[str, ...] = ()) -> JsonObject:
    typed = {"x-kubernetes-list-type": kind} if kind else {}
    return {"type": "array", "items": items, **typed, **({"x-kubernetes-list-map-keys": list(keys)} if keys else {})}


_CONDITIONS = _list(_record(("type",), type=_TEXT, status=_TEXT, message=_TEXT), "map", ("type",))
_BITS = _list(_record(("id", "side"), id=_NUMBER, side=_TEXT, weight={"type": "number"}), "map", ("id", "side"))
_PART = _record(
    ("name",),
    name=_TEXT,
    count=_NUMBER,
    notes={"type": "object", "additionalProperties": _TEXT},
    bits=_BITS,
    tags=_list(_TEXT, "set"),
    steps=_list(_TEXT, "atomic"),
)
_GADGET_SPEC = _record(
    size=_NUMBER,
    ratio={"type": "number"},
    enabled={"type": "boolean"},
    amount={"x-kubernetes-int-or-string": True},
    tags=_list(_TEXT, "set"),
    levels=_list(_NUMBER, "set"),
    parts=_list(_PART, "map", ("name",)),
    steps=_list(_record(do=_TEXT, times=_NUMBER), "atomic"),
    grid=_list(_list(_NUMBER)),
    origin={**_record(x=_NUMBER, y=_NUMBER), "x-kubernetes-map-type": "atomic"},
    settings={"type": "object", "additionalProperties": _TEXT, "nullable": True},
    fixed={"type": "object", "additionalProperties": _TEXT, "x-kubernetes-map-type": "atomic"},
    weights=_list({"type": "number"}, "set"),
    switches=_list(_record(("on",), on={"type": "boolean"}, label=_TEXT), "map", ("on",)),
    nested=_record(deep=_record(size=_NUMBER, names=_list(_TEXT, "set"))),
)
_SPROCKET_SPEC = {
    "type": "object",
    "x-kubernetes-preserve-unknown-fields": True,
    "properties": {"teeth": _list(_record(("n",), n=_NUMBER, sharp={"type": "boolean"}), "map", ("n",))},
}
_FREE = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def crd(kind: str, scope: str, **properties: Json) -> JsonObject:
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{_GROUP}"},
        "spec": {
            "group": _GROUP,
            "scope": scope,
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": _record(**properties)},
                    "subresources": {"status": {}},
                }
            ],
        },
    }


def shifting(kind: str, *, granular: bool) -> Subject:
    """A kind whose one list and one map are merged by item and key, or replaced as wholes."""
    items = _record(("name",), name=_TEXT, value=_NUMBER)
    spec = _record(
        list=_list(items, "map", ("name",)) if granular else _list(items, "atomic"),
        map={
            "type": "object",
            "additionalProperties": _TEXT,
            "x-kubernetes-map-type": "granular" if granular else "atomic",
        },
    )
    gvk = GroupVersionKind(_GROUP, "v1", kind)
    return Subject(gvk, f"{kind.lower()}s", lambda dice: {}, crd=crd(kind, "Namespaced", spec=spec))


def versioned(kind: str) -> tuple[Subject, Subject]:
    """One kind in two versions of the same schema: the stored one and an older one."""
    schema = _record(spec=_record(size=_NUMBER, tags=_list(_TEXT, "set")))
    definition = crd(kind, "Namespaced")
    (stored,) = definition["spec"]["versions"]
    stored = {**stored, "schema": {"openAPIV3Schema": schema}}
    older = {**stored, "name": "v1beta1", "storage": False}
    definition = {**definition, "spec": {**definition["spec"], "versions": [stored, older]}}
    new, old = (
        Subject(GroupVersionKind(_GROUP, version, kind), f"{kind.lower()}s", lambda dice: {}, crd=definition)
        for version in ("v1", "v1beta1")
    )
    return new, old


def _bit(number: int, side: str, weight: float = 1.5) -> JsonObject:
    return {"id": number, "side": side, "weight": weight}


GADGET = Subject(
    GroupVersionKind(_GROUP, "v1", "Gadget"),
    "gadgets",
    lambda dice: {"spec": {"size": 1, "parts": [{"name": "kept", "count": 1}], "tags": ["kept"]}},
    (
        Value("spec.size", (0, 1, -1, 9007199254740993), optional=True),
        Value("spec.ratio", (0.5, 1.5, 2, 2.0, 1e21, -1e-7), optional=True),
        Value("spec.enabled", (True, False), optional=True),
        Value("spec.amount", (1, "1", "50%"), optional=True),
        Value("spec.origin", ({"x": 1}, {"y": 2}, {"x": 1, "y": 1}), optional=True),
        Value("spec.nested.deep.size", (0, 1), optional=True),
        Entries("spec.settings", ("a", "c.d/e", "<&>", "schlüssel", 'a"b\\c'), WORDS),
        Entries("spec.fixed", ("a", "b"), WORDS),
        atomic("spec.steps", [{"do": "a"}], [{"do": "b", "times": 2}, {"do": "a"}], []),
        atomic("spec.grid", [[1, 2], [3]], [[0]], [[1], []]),
        Members("spec.tags", ("a", 'with "quotes"', "<b> & c", "naïve\u2028", "tab\tbell\x07")),
        Members("spec.levels", (-1, 0, 7)),
        Members("spec.weights", (0.5, 1, -2.25, 1e21)),
        Items(
            "spec.switches",
            ("on",),
            ({"on": True}, {"on": False}),
            (Value("label", WORDS, optional=True),),
        ),
        Members("spec.nested.deep.names", ("x", "y")),
        Items(
            "spec.parts",
            ("name",),
            ({"name": "left"}, {"name": 'ri"ght<é>', "count": 2}, {"name": "lid", "bits": [_bit(1, "in")]}),
            (
                Value("count", (0, 1, 2), optional=True),
                Entries("notes", ("by", "at"), WORDS),
                Members("tags", ("p", "q")),
                atomic("steps", ["a"], ["b", "b"]),
                Items(
                    "bits",
                    ("id", "side"),
                    (_bit(1, "in"), _bit(1, "out"), _bit(2, "in", 0.25)),
                    (Value("weight", (0, 0.5, 3), optional=True),),
                ),
            ),
        ),
    ),
    status_spots=(
        Value("status.phase", WORDS, optional=True),
        Items(
            "status.conditions",
            ("type",),
            ({"type": "Ready", "status": "True"}, {"type": "Odd", "status": "False"}),
            (Value("status", ("True", "False")), Value("message", WORDS, optional=True)),
        ),
    ),
    crd=crd(
        "Gadget",
        "Namespaced",
        spec=_GADGET_SPEC,
        status={**_record(phase=_TEXT, conditions=_CONDITIONS), "nullable": True},
    ),
)

SPROCKET = Subject(
    GroupVersionKind(_GROUP, "v1", "Sprocket"),
    "sprockets",
    lambda dice: {"spec": {"kept": 1}, "free": {"kept": {"deep": True}}},
    (
        Value("spec.any", (1, "text", True, 1.25, {"map": "of"}, {"map": {"of": "maps"}}), optional=True),
        Value("free.any", ({"a": 1, "b": 2}, {"b": {"c": 3}}, 4), optional=True),
        Entries("free.deep.deeper", ("a", "b"), (1, "x", {"y": 1}, {"y": {"z": 2}})),
        atomic("free.list", [1, 2], [{"a": 1}], ["x", ["y"]]),
        atomic("spec.unknown.list", [1], [2, 1]),
        Items(
            "spec.teeth", ("n",), ({"n": 1}, {"n": 2, "sharp": True}), (Value("sharp", (True, False), optional=True),)
        ),
    ),
    namespaced=False,
    crd=crd("Sprocket", "Cluster", spec=_SPROCKET_SPEC, free=_FREE, status=_FREE),
)

SUBJECTS: tuple[Subject, ...] = (GADGET, SPROCKET)
