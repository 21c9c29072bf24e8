"""Reading indexes: quickly where Helm wrote them, exactly wherever they come from, and never too much."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.documents import dump_yaml
from plumbline.base.errors import InvalidInput, LimitExceeded, PlumblineError
from plumbline.base.json import encode
from plumbline.source.charts import index as indexes
from plumbline.source.charts.index import Index, matching, read
from plumbline.source.charts.listed import Listed
from plumbline.source.charts.skim import skimmed

DIGEST = "0123456789abcdef" * 4
WRITTEN = f"""\
apiVersion: v1
entries:
  alpine:
  - annotations:
      images: |
        - version: not this one
    urls:
      not: these
    version: 0.0.1
  nginx:
  - appVersion: 1.25.0
    created: "2026-01-01T00:00:00Z"
    dependencies:
    - name: common
      version: 2.x.x
      urls:
      - no
    description: Text that goes
      on further in
    digest: {DIGEST}
    keywords:
    - version
    name: nginx
    urls:
    - https://charts.example/nginx-1.2.3.tgz
    - "https://mirror.example/nginx-1.2.3.tgz"
    version: 1.2.3
  - urls:
    - nginx-1.2.2.tgz
    version: '1.2.2'
  - name: broken
  empty: []
generated: "2026-01-01T00:00:00Z"
serverInfo:
  contextPath: /x
""".replace("    urls:\n      not: these\n", "    other:\n      not: these\n")


def test_an_index_as_helm_writes_it_is_skimmed():
    urls = ("https://charts.example/nginx-1.2.3.tgz", "https://mirror.example/nginx-1.2.3.tgz")
    assert skimmed(WRITTEN.encode()) == {
        "alpine": [Listed("0.0.1")],
        "nginx": [Listed("1.2.3", f"sha256:{DIGEST}", urls), Listed("1.2.2", "", ("nginx-1.2.2.tgz",))],
        "empty": [],
    }


def test_skimming_and_parsing_agree(monkeypatch):
    quick = read(WRITTEN.encode())
    monkeypatch.setattr(indexes, "skimmed", lambda text: None)
    assert read(WRITTEN.encode()).charts == quick.charts


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("version: 1.2.3", "version: 1.2", "a number"),
        ("version: 1.2.3", "version: >-\n      1.2.3", "a block"),
        ("version: 1.2.3", "version: 1.2.3\n      -x", "goes on"),
        ("version: 1.2.3", "version: *v", "an alias"),
        ("version: 1.2.3", "<<: {version: 3.0.0}", "a merge"),
        ("version: 1.2.3", "version: 1.2.3\n    version: 1.2.4", "twice"),
        ("version: 1.2.3", '"version": 1.2.3', "a key in quotes"),
        ("version: 1.2.3", "version: {a: b}", "a mapping"),
        ("urls:\n    - nginx-1.2.2.tgz", "urls: [nginx-1.2.2.tgz]", "a list in a line"),
        ("urls:\n    - nginx-1.2.2.tgz", "urls:\n      - nginx-1.2.2.tgz", "a list further in"),
        ("  - urls:", "  -\n    urls:", "a dash alone"),
        ("  empty: []", "  nginx: []", "a chart twice"),
        ("  empty: []", "  true: []", "a name that is none"),
        ("  empty: []", "  ? [a]\n  : []", "a key that is a list"),
        ("entries:", "entries: &e", "an anchor"),
        ("apiVersion: v1\n", "apiVersion: v1\napiVersion: v1\n", "a key twice"),
        ("apiVersion: v1\n", "%YAML 1.1\n---\napiVersion: v1\n", "a directive"),
        ("\n", "\r\n", "other line ends"),
        ("entries:", "entrees:", "no entries"),
    ],
)
def test_what_has_another_shape_is_left_to_a_parser(before, after, why):
    assert before in WRITTEN
    assert skimmed(WRITTEN.replace(before, after).encode()) is None


_plain = st.text("abcxyz019.-_ :#'\"&*!{}[]|>%@`\n", max_size=30)
_version = st.one_of(
    st.builds("{}.{}.{}{}".format, *[st.integers(0, 99)] * 3, st.sampled_from(["", "-rc.1", "+b_1"])),
    _plain,
)
_entry = st.fixed_dictionaries(
    {"version": _version},
    optional={
        "digest": st.one_of(st.just(DIGEST), _plain),
        "urls": st.lists(st.one_of(_plain, st.just("https://x.example/a-1.0.0.tgz")), max_size=3),
        "description": _plain,
        "annotations": st.dictionaries(_plain, _plain, max_size=2),
        "keywords": st.lists(_plain, max_size=3),
        "dependencies": st.lists(st.fixed_dictionaries({"name": _plain, "version": _plain}), max_size=2),
    },
)
_names = st.from_regex(r"[a-z][a-z0-9-]{0,10}", fullmatch=True)


@given(st.dictionaries(_names, st.lists(_entry, max_size=3), max_size=4))
def test_whatever_is_skimmed_is_what_a_parser_reads(entries):
    text = dump_yaml({"apiVersion": "v1", "entries": entries, "generated": "x"})
    text = text.encode() if isinstance(text, str) else text
    quick = skimmed(text)
    if quick is not None:
        assert quick == indexes._entries({"entries": entries})


@given(st.text(max_size=200), st.integers(0, len(WRITTEN)))
def test_no_text_does_anything_else_than_be_refused_or_read(noise, at):
    with contextlib.suppress(PlumblineError):
        read((WRITTEN[:at] + noise + WRITTEN[at:]).encode())


def test_an_index_in_json_is_read():
    assert read(encode({"entries": {"a": [{"version": "1.0.0", "digest": f"sha256:{DIGEST.upper()}"}]}})).versions(
        "a"
    ) == (Listed("1.0.0", f"sha256:{DIGEST}"),)


def test_bad_entries_do_not_hide_good_ones():
    entries = {
        "a": [None, {}, {"version": 1.0}, {"version": ""}, {"version": "1.0.0", "urls": [1, "x"], "digest": 7}],
        "b": "x",
        "../c": [],
        "d/e": [],
    }
    found = read(encode({"entries": entries}))
    assert found.versions("a") == (Listed("1.0.0", "", ("x",)),)
    assert found.charts.keys() == {"a", "b", "d/e"}


@pytest.mark.parametrize("text", ["[]", "text", "entries: []", "entries: 7", "<html></html>", "a: &a [*a]"])
def test_what_is_no_index_is_refused(text):
    with pytest.raises(InvalidInput):
        read(text.encode())


def test_an_empty_repository_has_an_index():
    assert read(b"apiVersion: v1\nentries: {}\n").charts == {}
    assert read(b"apiVersion: v1\nentries:\ngenerated: x\n").charts == {}
    assert read(b'{"apiVersion": "v1", "entries": null}').charts == {}


def test_an_index_has_bounds(monkeypatch):
    monkeypatch.setattr(indexes, "VERSIONS", 2)
    with pytest.raises(LimitExceeded):
        read(WRITTEN.encode())
    monkeypatch.setattr(indexes, "INDEX_BYTES", 10)
    with pytest.raises(LimitExceeded):
        read(WRITTEN.encode())


def test_an_alias_bomb_is_refused():
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]\n"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    with pytest.raises(LimitExceeded):
        read(bomb.encode() + b"entries: {x: *i}\n")


def test_what_changed_is_told_by_chart():
    one = Index({"a": b"[]", "b": b"[]", "c": b"[]"})
    other = Index({"a": b"[]", "b": b'[["1.0.0"]]', "d": b"[]"})
    assert other.changed(one) == {"b", "c", "d"}


def test_answers_are_kept_within_a_bound(monkeypatch):
    monkeypatch.setattr(indexes, "_ANSWERS", 2)
    index = Index({"a": b'[["1.0.0"]]'})
    assert [index.resolved("a", each) for each in ("*", "^1", "~1", "*", "2.x")] == ["1.0.0"] * 4 + [None]


@pytest.mark.parametrize(
    ("version", "found"),
    [("1.0.0", "1.0.0"), ("1.0", "v1.0.1"), ("", "v1.0.1"), ("latest", None), ("odd", "odd"), ("3", None)],
)
def test_versions_are_found_as_helm_finds_them(version, found):
    assert matching(version, ["1.0.0", "v1.0.1", "odd", "2.0.0-rc"]) == found
