"""Rows 4 and 5 of the table of attacks. Texts that are made to hurt: each is refused with a code, in bounded memory, and the process lives on."""

import resource
import string
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from plumbline.base.documents import load_documents, load_json
from plumbline.base.errors import LimitExceeded, PlumblineError
from plumbline.base.json import decode, encode
from plumbline.base.limits import MANIFESTS, MIB

DEEP = 100_000
ROOM_BYTES = 1024 * MIB


def alias_bomb():
    names = string.ascii_lowercase[:15]
    grown = (f"{name}: &{name} [{','.join(['*' + before] * 9)}]\n" for before, name in pairwise(names))
    return "a: &a [x, x]\n" + "".join(grown)


def merge_bomb():
    return "k0: &k0 {x: 1}\n" + "".join(f"k{n}: &k{n} {{<<: *k{n - 1}, y{n}: *k{n - 1}}}\n" for n in range(1, 300))


def deep_by_aliases():
    return "- &a0 []\n" + "".join(f"- &a{n} [*a{n - 1}]\n" for n in range(1, 3000))


ATTACKS = {
    "a billion laughs": (alias_bomb, "limit-exceeded"),
    "a billion merges": (merge_bomb, "limit-exceeded"),
    "a long text many times": (lambda: b"a: &a " + b"x" * 3_000_000 + b"\nb:\n" + b"- *a\n" * 1000, "limit-exceeded"),
    "deep by aliases": (deep_by_aliases, "limit-exceeded"),
    "deep in brackets": (lambda: "[" * DEEP + "]" * DEEP, "limit-exceeded"),
    "deep in braces": (lambda: "a: " + "{a: " * DEEP + "}" * DEEP, "limit-exceeded"),
    "deep in dashes": (lambda: "- " * DEEP + "x", "limit-exceeded"),
    "deep in question marks": (lambda: "? " * DEEP + "x", "bad-document"),
    "deep in JSON": (lambda: '{"a":' * DEEP + "1" + "}" * DEEP, "limit-exceeded"),
    "deep in JSON that never ends": (lambda: '{"a":' * DEEP, "limit-exceeded"),
    "50 MB of text": (lambda: b"a: " + b"x" * 50_000_000, "limit-exceeded"),
    "one value of 30 MB": (lambda: b"a: " + b"x" * 30_000_000, "limit-exceeded"),
    "one JSON value of 30 MB": (lambda: b'{"a": "' + b"x" * 30_000_000 + b'"}', "limit-exceeded"),
    "a key of 20 MB": (lambda: b'"' + b"x" * 20_000_000 + b'": 1', "limit-exceeded"),
    "a million documents": (lambda: b"---\na\n" * 1_000_000, "limit-exceeded"),
    "eight million empty documents": (lambda: b"---\n" * 8_000_000, "limit-exceeded"),
    "a million JSON documents": (lambda: b"{}" * 1_000_000, "limit-exceeded"),
    "ten million items": (lambda: b"[" + b"1," * 10_000_000 + b"]", "limit-exceeded"),
    "ten million JSON items": (lambda: b'{"a":[' + b"{}," * 10_000_000 + b"{}]}", "limit-exceeded"),
    "a million anchors": (lambda: b"".join(b"- &a%d x\n" % n for n in range(1_000_000)), "limit-exceeded"),
    "a million directives": (lambda: b"".join(b"%%TAG !%d! x\n" % n for n in range(1_000_000)), "limit-exceeded"),
    "a million keys that are the same": (lambda: b"a: 1\n" * 1_000_000, "duplicate-key"),
    "contains itself": (lambda: "&a [*a]", "bad-document"),
    "NUL": (lambda: b"a: b\x00c\n", "bad-document"),
    "NUL in JSON": (lambda: b'{"a": "b\x00c"}', "bad-document"),
    "not UTF-8": (lambda: b"a: \xc3\x28\n", "bad-document"),
    "half a character": (lambda: "a: \ud800", "bad-document"),
    "python object": (lambda: "!!python/object/apply:os.system ['true']", "bad-document"),
    "python name": (lambda: "a: !!python/name:os.system ''", "bad-document"),
    "an integer of a million digits": (lambda: b"a: " + b"9" * 1_000_000, "read"),
    "a JSON integer of a million digits": (lambda: b'{"a": ' + b"9" * 1_000_000 + b"}", "bad-document"),
    "1e400 in YAML": (lambda: "a: 1e400", "read"),
    "1e400 in JSON": (lambda: '{"a": 1e400}', "bad-document"),
    "30 MB of comments": (lambda: b"#\n" * 15_000_000, "read"),
}


def verdict_on(text):
    try:
        load_documents(text)
    except PlumblineError as error:
        return error.code
    return "read"


@pytest.fixture(scope="module")
def verdicts():
    """What a child of this process says to each attack, and how much memory it had taken by then."""
    child = subprocess.run([sys.executable, __file__], capture_output=True, timeout=300, check=False)
    assert child.returncode == 0, child.stderr.decode()[-2000:]
    return decode(child.stdout)


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_answered_with_a_code_in_bounded_memory(verdicts, name):
    verdict, peak_bytes = verdicts[name]
    assert verdict == ATTACKS[name][1]
    assert peak_bytes < 400 * MIB


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ({"size_bytes": 4}, "a: 12"),
        ({"depth": 2}, "a: {b: {c: 1}}"),
        ({"depth": 2}, "a: &a {b: 1}\nc: {d: *a}"),
        ({"nodes": 4}, "[a, b, c, d]"),
        ({"nodes": 5}, "a: 1\n---\nb: 2\n"),
        ({"expanded_nodes": 10}, "a: &a [1, 2]\nb: [*a]"),
        ({"expanded_chars": 13}, "a: &a xxxx\nb: [*a, *a]"),
        ({"scalar_bytes": 4}, "a: éée"),
        ({"scalar_bytes": 4}, "abcde: 1"),
        ({"documents": 2}, "a\n---\nb\n---\nc\n"),
        ({"documents": 2}, "---\n---\n---\n---\na\n"),
        ({"documents": 2}, "{}{}{}"),
    ],
)
def test_limits_are_exact(limit, text):
    within = {name: value + 1 for name, value in limit.items()}
    load_documents(text, limits=replace(MANIFESTS, **within))
    with pytest.raises(LimitExceeded) as refused:
        load_documents(text, limits=replace(MANIFESTS, **limit), source="x.yaml")
    assert refused.value.source == "x.yaml"


def test_anchors_at_every_level_do_not_overrun_the_stack():
    levels = MANIFESTS.depth
    text = "".join(f"&a{n} {{k: " for n in range(levels - 1)) + "&z [1]" + "}" * (levels - 1) + "\n# *"
    assert load_documents(text)


def test_a_caller_deep_down_the_stack_gets_a_refusal_too():
    def descend(frames):
        return load_documents("[" * 190 + "]" * 190) if frames == 0 else descend(frames - 1)

    with pytest.raises(LimitExceeded):
        descend(sys.getrecursionlimit() - 300)


def test_depth_is_refused_in_json_alone_as_well():
    with pytest.raises(LimitExceeded):
        load_json("[" * DEEP + "]" * DEEP)


def main():
    resource.setrlimit(resource.RLIMIT_AS, (ROOM_BYTES, ROOM_BYTES))
    said = {}
    for name, (make, _) in ATTACKS.items():
        said[name] = verdict_on(make()), peak_bytes()
    sys.stdout.buffer.write(encode(said))


def peak_bytes():
    """Of this process alone: getrusage also remembers how large the one was that started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
    main()
