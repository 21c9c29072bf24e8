"""Row 3 of the table of attacks. Archives, most of them hostile: nothing gets out, nothing gets large, and nobody reads what is not there."""

import contextlib
import gzip
import io
import tarfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput, LimitExceeded, PlumblineError
from plumbline.base.tree import resolve
from plumbline.source.charts import tar as reader
from plumbline.source.charts.archives import chart_of, unpacked

from .archives import chart, member, tar, tgz


def _link(name, target, kind=tarfile.SYMTYPE):
    return member(name, type=kind, linkname=target)


def test_files_links_and_modes_are_read():
    found = unpacked(
        tgz(
            member("a/", type=tarfile.DIRTYPE),
            member("./a/run", b"#!", mode=0o755),
            member("a/text", b"x" * 1000),
            _link("a/link", "text"),
            member("a/empty"),
        )
    )
    assert found.files == {"a/run": b"#!", "a/text": b"x" * 1000, "a/empty": b""}
    assert found.links == {"a/link": "text"}
    assert found.executables == {"a/run"}


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_long_and_foreign_names_are_read_in_either_dialect(form):
    name = "app/" + "ä" * 100 + "/" + "b" * 120
    found = unpacked(tgz(member(name, b"x"), _link("app/l", "c" * 150), form=form))
    assert found.files == {name: b"x"}
    assert found.links == {"app/l": "c" * 150}


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ([member("../evil", b"x")], "above"),
        ([member("a/../../evil", b"x")], "above, by detour"),
        ([member("a/../b", b"x")], "even where it stays inside"),
        ([member("/etc/passwd", b"x")], "absolute"),
        ([member("a\\..\\b", b"x")], "as another system would write it"),
        ([_link("hard", "a", tarfile.LNKTYPE)], "a hard link"),
        ([member("dev", type=tarfile.CHRTYPE)], "a device"),
        ([member("dev", type=tarfile.BLKTYPE)], "a device"),
        ([member("pipe", type=tarfile.FIFOTYPE)], "a pipe"),
        ([member("sparse", type=tarfile.GNUTYPE_SPARSE)], "a sparse file"),
        ([member("odd", type=b"Z")], "nobody knows what"),
        ([member("a", b"1"), member("a", b"2")], "twice"),
        ([member("a/B", b"1"), member("A/b", b"2")], "twice to some disks"),
        ([member("a", b"1"), _link("A", "b")], "a file and a link"),
    ],
)
def test_a_single_entry_that_does_not_belong_there_refuses_everything(members, why):
    with pytest.raises(InvalidInput):
        unpacked(tgz(member("fine", b"x"), *members))


@pytest.mark.parametrize("target", ["/etc/passwd", "../../etc/passwd", "b/../../../x", "loop"])
def test_links_that_lead_out_are_kept_and_never_followed(target):
    tree = unpacked(tgz(member("a", b"x"), _link("loop", target))).tree()
    assert tree.entry("loop").kind == "link"
    with pytest.raises(InvalidInput):
        resolve(tree, "loop")


def test_what_is_below_a_link_is_refused():
    with pytest.raises(InvalidInput):
        unpacked(tgz(_link("up", ".."), member("up/evil", b"x"))).tree()


def _pax(record):
    """An extended header with that text, before a file."""
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, len(record)
    block = info.tobuf(tarfile.USTAR_FORMAT)
    padding = b"\0" * (-len(record) % 512)
    return gzip.compress(block + record + padding + tar(member("plain", b"x")))


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (b"nonsense", "no length"),
        (b"9999 path=x\n", "longer than it is"),
        (b"0 path=x\n", "no length at all"),
        (b"7 path\n", "no value"),
        (b"10 path=xy?", "no line end"),
        (b"22 GNU.sparse.major=1\n", "a sparse file"),
        (b"1" * 60_000, "what takes a regular expression quadratic time"),
    ],
    ids=lambda value: value[:12] if isinstance(value, bytes) else "",
)
def test_extended_headers_that_cannot_be_read_are_refused(record, why):
    with pytest.raises(InvalidInput):
        unpacked(_pax(record))


def test_extended_headers_name_the_file_after_them():
    assert unpacked(_pax(b"12 path=abc\n")).files == {"abc": b"x"}
    with pytest.raises(InvalidInput):
        unpacked(_pax(b"14 path=../ab\n"))


def test_extended_headers_have_a_bound():
    with pytest.raises(LimitExceeded):
        unpacked(_pax(b"x" * 70_000))


def test_a_thousand_extended_headers_in_a_row_are_just_entries():
    info = tarfile.TarInfo("x")
    info.type = tarfile.XGLTYPE
    blocks = info.tobuf(tarfile.USTAR_FORMAT) * 3000
    assert unpacked(gzip.compress(blocks + tar(member("plain", b"x")))).files == {"plain": b"x"}


def test_a_million_entries_are_refused_early():
    blocks = member("a", type=tarfile.DIRTYPE)[0].tobuf(tarfile.USTAR_FORMAT)
    with pytest.raises(LimitExceeded):
        unpacked(gzip.compress(blocks * (reader.ENTRIES + 1)))


def test_a_bomb_is_refused_before_it_is_large():
    source = reader.Inflated(gzip.compress(bytes(200 << 20)))
    with pytest.raises(LimitExceeded):
        source.take(200 << 20)
    assert source._given < 20 << 20


def test_an_archive_has_a_size(monkeypatch):
    monkeypatch.setattr(reader, "UNPACKED_BYTES", 10_000)
    for compressed in (True, False):
        content = tar(*(member(f"f{n}", bytes(range(256)) * 4) for n in range(20)))
        with pytest.raises(LimitExceeded):
            unpacked(gzip.compress(content) if compressed else content, compressed=compressed)
    monkeypatch.setattr("plumbline.source.charts.archives.PACKED_BYTES", 10)
    with pytest.raises(LimitExceeded):
        unpacked(chart())


def test_a_size_that_is_claimed_is_not_believed():
    header = member("huge")[0]
    header.size = 1 << 40
    with pytest.raises(LimitExceeded):
        unpacked(gzip.compress(header.tobuf(tarfile.GNU_FORMAT)))
    header.size = 5000
    with pytest.raises(InvalidInput):
        unpacked(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + b"short"))


@pytest.mark.parametrize("cut", [1, 9, 30, 60])
def test_half_an_archive_is_none(cut):
    content = chart()
    with pytest.raises(InvalidInput):
        unpacked(content[: len(content) * cut // 100])


def test_what_is_not_compressed_is_said_so():
    with pytest.raises(InvalidInput):
        unpacked(tar(member("a", b"x")))
    assert unpacked(tar(member("a", b"x")), compressed=False).files == {"a": b"x"}


def test_several_streams_in_a_row_are_one_as_they_are_to_go():
    content = tar(member("a", b"x" * 5000))
    halves = gzip.compress(content[:3000]) + gzip.compress(content[3000:])
    assert unpacked(halves).files == {"a": b"x" * 5000}
    assert unpacked(halves + b"whatever").files == {"a": b"x" * 5000}


def test_damage_is_noticed():
    content = bytearray(chart())
    content[len(content) // 2] ^= 0xFF
    with pytest.raises(InvalidInput):
        unpacked(bytes(content))


def test_the_folder_of_the_chart_becomes_the_root():
    content = tgz(
        member("app/Chart.yaml", b"c"), member("app/a/b", b"x", mode=0o755), _link("app/l", "a"), member("other/x")
    )
    found = chart_of(unpacked(content), "group/app")
    assert (found.files, found.links, found.executables) == ({"Chart.yaml": b"c", "a/b": b"x"}, {"l": "a"}, {"a/b"})


def test_a_single_folder_may_have_another_name():
    assert chart_of(unpacked(chart("app")), "renamed").files.keys() >= {"Chart.yaml"}


@pytest.mark.parametrize(
    "members",
    [
        [member("Chart.yaml", b"c")],
        [member("one/Chart.yaml", b"c"), member("two/Chart.yaml", b"c")],
        [member("app/values.yaml", b"c")],
    ],
    ids=["no folder", "two folders", "no Chart.yaml"],
)
def test_what_is_no_chart_is_refused(members):
    with pytest.raises(InvalidInput):
        chart_of(unpacked(tgz(*members)), "app")


_names = st.text(st.characters(codec="utf-8", exclude_characters="\\/\0"), min_size=1, max_size=150).filter(
    lambda name: name not in {".", ".."}
)


@given(
    st.dictionaries(_names, st.binary(max_size=2000), max_size=8),
    st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]),
)
def test_what_is_packed_is_what_is_unpacked(files, form):
    distinct = {
        name: content for name, content in files.items() if sum(n.casefold() == name.casefold() for n in files) == 1
    }
    assert unpacked(tgz(*(member(name, content) for name, content in distinct.items()), form=form)).files == distinct


@given(st.binary(max_size=3000), st.integers(0, 2000))
def test_no_bytes_do_anything_else_than_be_refused_or_read(noise, at):
    content = bytearray(tar(member("app/a", b"x" * 600), _link("app/l", "a")))
    content[at : at + len(noise)] = noise
    for compressed in (False, True):
        with contextlib.suppress(PlumblineError):
            unpacked(
                zlib.compress(bytes(content), wbits=31) if compressed else bytes(content), compressed=compressed
            ).tree()
    assert io.BytesIO(content)
