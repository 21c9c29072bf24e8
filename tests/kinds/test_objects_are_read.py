from typing import Annotated

import pytest
from msgspec import Meta, field

from plumbline.base.errors import InvalidInput, UnknownKind
from plumbline.base.json import encode
from plumbline.kinds.duration import Duration
from plumbline.kinds.fields import Fields, FreeObject, Int64, IntOrString
from plumbline.kinds.kind import Kind, NoStatus, Version
from plumbline.kinds.read import read, read_part
from plumbline.kinds.timestamp import Time
from plumbline.kinds.unknown import REPORTED, unknown_fields
from plumbline.kinds.values import written


class Interval(Duration):
    lowest = Duration.parse("1s")
    highest = Duration.parse("24h")


class Port(Fields):
    number: Int64
    name: str = ""


class Spec(Fields):
    size: Annotated[int, Meta(ge=0)] = 0
    ports: tuple[Port, ...] = ()
    by_name: dict[str, Port] = field(default_factory=dict)
    free: FreeObject = field(default_factory=dict)
    every: Interval = Interval.parse("3m")
    target: IntOrString = 0
    main: Port | None = None


class Condition(Fields):
    type: str
    since: Time | None = None


class Status(Fields):
    phase: str = ""
    conditions: tuple[Condition, ...] = ()
    count: int = 0


class Operation(Fields):
    verb: str


WIDGET = Kind(
    group="example.org",
    kind="Widget",
    plural="widgets",
    description="A thing.",
    versions=(Version(name="v1", spec=Spec, status=Status),),
)


def widget(spec, **others):
    metadata = {"name": "w", "namespace": "shop"}
    return {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": metadata, "spec": spec} | others


def test_a_spec_is_typed_and_the_object_stays():
    obj = widget({"size": 3, "ports": [{"number": 80}], "every": "90s", "target": "50%"}, extra={"kept": True})
    got = read(WIDGET, obj)
    assert got.spec == Spec(size=3, ports=(Port(number=80),), every=Interval.parse("1m30s"), target="50%")
    assert got.raw is obj
    assert str(got.ref) == "Widget.example.org/shop/w"
    assert (got.unknown, got.unreadable) == ((), ())


def test_what_was_read_can_be_written():
    raw = {"size": 3, "ports": [{"number": 80, "name": "web"}], "byName": {"a": {"number": 1}}, "every": "1m30s"}
    assert written(read(WIDGET, widget(raw)).spec) == raw


WRONG = [
    ({"size": "3"}, "spec.size", "expected `int`, got `str`", "strings are not numbers"),
    ({"size": True}, "spec.size", "expected `int`, got `bool`", "nor are booleans"),
    ({"size": -1}, "spec.size", "expected `int` >= 0", "bounds count"),
    ({"ports": {}}, "spec.ports", "expected `array`, got `object`", "lists are lists"),
    ({"ports": [{"number": 1}, {"number": 2**63}]}, "spec.ports[1].number", "<= 9223372036854775807", "64 bits"),
    ({"ports": [{}]}, "spec.ports[0].number", "required and missing", "what is demanded"),
    ({"every": "-3m"}, "spec.every", "at least 1s", "an interval goes forward"),
    ({"every": "100000h"}, "spec.every", "at most 24h0m0s", "and is of use"),
    ({"every": 180}, "spec.every", "as a string", "a number has no unit"),
    ({"every": "soon"}, "spec.every", "number before each unit", "nor has a word"),
    ({"target": 2**40}, "spec.target", "<= 2147483647", "IntOrString holds 32 bits"),
    ([], "spec cannot", "expected `object`, got `array`", "the whole part"),
    (None, "spec cannot", "expected `object`, got `null`", "an empty one"),
]


@pytest.mark.parametrize(("spec", "path", "expected", "why"), WRONG)
def test_a_wrong_type_names_its_path_and_what_was_expected(spec, path, expected, why):
    with pytest.raises(InvalidInput) as refused:
        read(WIDGET, widget(spec))
    assert refused.value.what.startswith("Widget.example.org/shop/w: spec"), why
    assert path in refused.value.what, why
    assert expected in refused.value.why, why


def test_unknown_fields_are_reported_by_path_and_nothing_is_lost():
    obj = widget(
        {
            "sizee": 1,
            "ports": [{"number": 1}, {"number": 2, "proto.col": "x"}],
            "byName": {"a b": {"number": 1, "odd": None}},
            "main": {"number": 1, "more": {"deep": 1}},
            "free": {"anything": {"goes": 1}},
        }
    )
    before = encode(obj)
    assert read(WIDGET, obj).unknown == (
        "spec.sizee",
        "spec.ports[1]['proto.col']",
        "spec.byName['a b'].odd",
        "spec.main.more",
    )
    assert encode(obj) == before


def test_a_million_unknown_fields_are_not_all_reported():
    found = read(WIDGET, widget({f"k{n}" * 60: n for n in range(1000)})).unknown
    assert len(found) == REPORTED
    assert all(len(path) < 200 for path in found)


def test_the_search_for_unknown_fields_survives_values_of_wrong_types():
    assert unknown_fields({"ports": "x", "byName": [1], "main": 3}, Spec, "spec") == ()
    assert unknown_fields("x", Spec, "spec") == ()


def test_a_kind_that_contains_itself_is_refused():
    with pytest.raises(TypeError, match="contains itself"):
        unknown_fields({}, Circle, "spec")


class Circle(Fields):
    again: "tuple[Circle, ...]" = ()


def test_a_status_is_read_as_far_as_it_can_be():
    good = {"phase": "Ready", "conditions": [{"type": "Ready", "since": "2026-01-31T12:00:00Z"}], "new": 1}
    assert read(WIDGET, widget({}, status=good)).status.conditions[0].since == Time.read("2026-01-31T12:00:00Z")
    bad = read(WIDGET, widget({}, status=good | {"count": "many", "conditions": [{"since": "then"}]}))
    assert bad.status == Status(phase="Ready")
    assert bad.unreadable == ("status.conditions", "status.count")
    assert read(WIDGET, widget({}, status="odd")).unreadable == ("status",)
    assert read(WIDGET, widget({}, status=None)).status == Status()
    assert read(WIDGET, widget({})).status == Status()


def test_parts_beside_the_spec_are_read_by_name():
    obj = widget({}, operation={"verb": "sync"})
    assert read_part(obj, "operation", Operation) == Operation(verb="sync")
    assert read_part(widget({}), "operation", Operation) is None
    with pytest.raises(InvalidInput, match=r"operation\.verb cannot be used"):
        read_part(widget({}, operation={}), "operation", Operation)


def test_another_kind_is_refused():
    with pytest.raises(InvalidInput, match="its kind is Gadget"):
        read(WIDGET, widget({}) | {"kind": "Gadget"})
    with pytest.raises(UnknownKind, match="No version 'v9'"):
        read(WIDGET, widget({}) | {"apiVersion": "example.org/v9"})


def test_a_kind_without_status_reads_as_having_none():
    bare = Kind(
        group="example.org",
        kind="Widget",
        plural="widgets",
        description="A thing.",
        versions=(Version(name="v1", spec=Spec, status=NoStatus),),
    )
    assert read(bare, widget({}, status={"anything": 1})).status == NoStatus()


def test_a_hostile_value_is_not_repeated_at_length():
    class Choice(Fields):
        mode: Annotated[str, Meta(pattern="^" + "a" * 1000 + "$")] = ""

    with pytest.raises(InvalidInput) as refused:
        read_part({"x": {"mode": "b" * 100_000}}, "x", Choice)
    assert len(refused.value.why) < 400
