"""Several documents in one text, byte by byte as go-yaml 3 writes them with an indent of two."""

import pytest

from plumbline.base.documents import dump_documents, load_documents
from plumbline.base.errors import InvalidInput
from plumbline.base.limits import MANIFESTS

CONFIG_MAP = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "a", "labels": {"on": "yes", "n": "1", "d": "2024-01-01", "t": "1:30"}},
    "data": {
        "script": "#!/bin/sh\n\techo hi\n", "none": "", "keep": "a\n\n", "lead": "  x\ny", "tail": "a \nb",
        "quote": "it's", "colon": "a: b", "hash": "a #b", "star": "*x",
    },
}  # fmt: skip
SHAPES = {
    "a": [], "b": {}, "c": None, "d": [[1, 2], {"x": [{"y": 1, "z": "~"}]}], "e": 1.5, "f": 1e6, "g": True,
    "a10": 1, "a9": 2, "B": 3,
}  # fmt: skip
WRITTEN_BY_GO = """\
apiVersion: v1
data:
  colon: 'a: b'
  hash: 'a #b'
  keep: |+
    a

  lead: |2-
      x
    y
  none: ""
  quote: it's
  script: |
    #!/bin/sh
    \techo hi
  star: '*x'
  tail: "a \\nb"
kind: ConfigMap
metadata:
  labels:
    d: "2024-01-01"
    "n": "1"
    "on": "yes"
    t: "1:30"
  name: a
---
B: 3
a: []
a9: 2
a10: 1
b: {}
c: null
d:
  - - 1
    - 2
  - x:
      - "y": 1
        z: "~"
e: 1.5
f: 1e+06
g: true
"""


def test_it_is_what_go_writes():
    assert dump_documents([CONFIG_MAP, SHAPES]) == WRITTEN_BY_GO


def test_it_is_read_as_what_was_written():
    documents = load_documents(dump_documents([CONFIG_MAP, SHAPES]), limits=MANIFESTS, source="it")
    assert [each.value for each in documents] == [CONFIG_MAP, SHAPES]


def test_keys_that_are_too_long_for_one_line_are_marked():
    long = "k" * 129
    (document,) = load_documents(dump_documents([{long: {"a": [1]}}]), limits=MANIFESTS, source="it")
    assert document.value == {long: {"a": [1]}}
    assert dump_documents([{long: 1}]) == f"? {long}\n: 1\n"


def test_letters_come_first_after_a_digit():
    assert dump_documents([{"v1.2": 1, "v1beta1": 2}]) == "v1beta1: 2\nv1.2: 1\n"


def test_nothing_is_no_document():
    assert dump_documents([]) == ""


def test_what_is_too_deep_is_refused():
    value = {}
    for _ in range(2000):
        value = {"a": value or 1}
    with pytest.raises(InvalidInput):
        dump_documents([value])
