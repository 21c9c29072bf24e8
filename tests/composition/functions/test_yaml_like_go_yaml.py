"""`toYaml` prints what go-yaml's third version prints; the texts below are its own."""

import pytest

from plumbline.composition.functions.gotemplating.yamltext import dumped
from plumbline.gotemplate import Failed
from plumbline.gotemplate.moments import Time

PRINTED = [
    ({}, "{}\n", "nothing"),
    ([], "[]\n", "nothing in a list"),
    ("text", "text\n", "a text alone"),
    ({"a": [1, {"b": [], "c": {"d": 2}}]}, "a:\n    - 1\n    - b: []\n      c:\n        d: 2\n", "depth"),
    ({"a": [[1, [2]], {}]}, "a:\n    - - 1\n      - - 2\n    - {}\n", "lists in lists"),
    ([{"a": "x\ny\n"}], "- a: |\n    x\n    y\n", "a block in a list"),
    ({"a": "x\ny"}, "a: |-\n    x\n    y\n", "a block without its last break"),
    ({"a": "x\n\n"}, "a: |+\n    x\n\n", "a block with more than one"),
    ({"a": " x\ny"}, "a: |4-\n     x\n    y\n", "a block that begins with a space"),
    ({"a": "\nx"}, "a: |4-\n    x\n", "a block that begins with a break, which is lost"),
    ({"a": "\n"}, "a: |4+\n", "nothing but a break"),
    ({"a": "x \ny"}, 'a: "x \\ny"\n', "a space before a break"),
    ({"a": "tab\tx"}, 'a: "tab\\tx"\n', "a tab"),
    ({"a": "tab\tx\ny"}, "a: |-\n    tab\tx\n    y\n", "a tab in a block"),
    ({"a": ["true", "no", "1", "1.5", "null", "~", "", "0x1f", "1e3", "2001-01-01", "12:30:45"]}, "a:\n" + "".join(f'    - "{each}"\n' for each in ["true", "no", "1", "1.5", "null", "~", "", "0x1f", "1e3", "2001-01-01", "12:30:45"]), "what would be read as something else"),
    ({"a": ["- x", "x: y", "x #y", "#x", "[x]", " x", "x ", "'x'", "*x", "@x", "---", "x:"]}, "a:\n" + "".join(f"    - '{each}'\n" for each in ["- x", "x: y", "x #y", "#x", "[x]", " x", "x ", "''x''", "*x", "@x", "---", "x:"]), "what would be read as syntax"),
    ({"a": ["-x", "x:y", "x#y", "?x", "a,b", "<no value>", "a'b", "1.2.3", "100m"]}, "a:\n" + "".join(f"    - {each}\n" for each in ["-x", "x:y", "x#y", "?x", "a,b", "<no value>", "a'b", "1.2.3", "100m"]), "what is text as it is"),
    ({"a": ["ünï", "\U0001f600", "a\x01", "\u2028", "\ue000", "\u200b", "\ufffe"]}, "a:\n    - ünï\n    - \"\\U0001F600\"\n    - \"a\\x01\"\n    - '\u2028'\n    - \ue000\n    - \u200b\n    - \"\\uFFFE\"\n", "letters of the world"),
    ({"a": [1, -5, 1.5, 1234567.5, 1e21, 1e-7, 0.00001, 123456.7, True, None]}, "a:\n    - 1\n    - -5\n    - 1.5\n    - 1.2345675e+06\n    - 1e+21\n    - 1e-07\n    - 1e-05\n    - 123456.7\n    - true\n    - null\n", "numbers"),
    ({"a": [float("inf"), float("-inf"), float("nan")]}, "a:\n    - .inf\n    - -.inf\n    - .nan\n", "what JSON has no numbers for"),
    ({"a10": 1, "a9": 2, "A": 3, "b-1": 4, "_": 5, "1Gi": 6, "1.5": 7}, '_: 5\n1Gi: 6\n"1.5": 7\nA: 3\na9: 2\na10: 1\nb-1: 4\n', "the order of keys"),
    ({"long": "word " * 40 + "end"}, "long: " + "word " * 40 + "end\n", "nothing is folded"),
    ({"yes": 1, "a b": 2, "x: y": 3, "k\tt": 4}, 'a b: 2\n"k\\tt": 4\n\'x: y\': 3\n"yes": 1\n', "keys are quoted as values are"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected", "why"), PRINTED, ids=[each[2] for each in PRINTED])
def test_yaml_is_printed_as_go_yaml_prints_it(value, expected, why):
    assert dumped(value) == expected, why


def test_what_is_no_json_is_refused():
    with pytest.raises(Failed, match="cannot marshal type"):
        dumped({"a": Time()})
    assert dumped({"a\nb": 1}) == '"a\\nb": 1\n'
