"""Whatever the store holds has a row: a table must not die of one bad object."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plumbline.apiserver.tables import printers
from plumbline.apiserver.tables.builtin import _PRINTERS, builtin_printer
from plumbline.apiserver.tables.printers.autoscaling import OLD
from plumbline.base.json import decode, encode
from plumbline.kube.names import GroupVersionKind

from .objects import NOW

_SOURCES = Path(printers.__path__[0])
PRINTERS = {**{f"{kind.kind}.{kind.group}": printer for kind, printer in _PRINTERS.items()}}
PRINTERS |= {f"{kind.kind}.{kind.group}.v1": printer for kind, printer in OLD.items()}
PRINTERS["other"] = builtin_printer(GroupVersionKind("", "v1", "Unheard"))

WORDS = sorted({word for file in _SOURCES.glob("*.py") for word in re.findall(r'"(\w+)"', file.read_text())})
"""Every field that a printer looks at."""
TEXTS = [
    "", "x", "True", "False", "Ready", "Running", "Completed", "Always", "Succeeded", "LoadBalancer", "ExternalName", "2026-01-01T00:00:00Z",
    "1Gi", "Resource", "Pods", "External", "In", "Exists", "a/b", "autoscaling.alpha.kubernetes.io/metrics", "[1]", '[{"type":"Pods","pods":5}]',
]  # fmt: skip
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(TEXTS)
    | st.text(max_size=5)
)
keys = st.sampled_from(WORDS) | st.sampled_from(TEXTS)
json = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5), max_leaves=25
)
parts = st.dictionaries(keys, json, max_size=8)
objects = st.fixed_dictionaries(
    {}, optional={"metadata": parts | json, "spec": parts | json, "status": parts | json}
).flatmap(lambda given_: st.dictionaries(keys, json, max_size=4).map(lambda more: {**more, **given_}))


@settings(max_examples=3 * settings.default.max_examples, suppress_health_check=[HealthCheck.too_slow])
@given(obj=objects)
def test_every_object_has_a_row_that_can_be_written_whatever_it_is_taken_for(obj):
    for printer in PRINTERS.values():
        assert decode(encode(printer.row(obj, NOW.timestamp())))


@settings(max_examples=2 * settings.default.max_examples, suppress_health_check=[HealthCheck.too_slow])
@given(obj=objects)
def test_what_is_read_from_bytes_is_printed_like_the_whole_object(obj):
    written = encode(obj)
    for printer in PRINTERS.values():
        assert printer.row(printer.read(written), NOW.timestamp()) == printer.row(decode(written), NOW.timestamp())


@pytest.mark.parametrize("printer", PRINTERS.values(), ids=PRINTERS)
@pytest.mark.parametrize("value", [[], 5, "x", None, True], ids=repr)
def test_what_is_no_object_is_printed_as_an_empty_one(printer, value):
    assert printer.row(printer.read(encode(value)), 0) == printer.row({}, 0)
