import pytest
from tests.render.tools.programs import program

from plumbline.base.errors import InvalidInput, LimitExceeded, ToolFailed
from plumbline.base.process import Confinement
from plumbline.base.tree import MemoryTree
from plumbline.render.requests import Origin
from plumbline.render.tools import Program, running
from plumbline.render.tools.content import content
from plumbline.render.tools.printed import objects
from plumbline.render.tools.running import ran
from plumbline.render.tools.versions import kube_version


async def run(tmp_path, body):
    place = program(tmp_path, "tool", body)
    work = tmp_path / "work"
    work.mkdir()
    return await ran(Program("tool", place, (str(place),), "1", "PATH"), ("a",), work, Confinement(readable=(work,)))


async def test_what_it_says_does_not_name_our_folders(tmp_path):
    with pytest.raises(ToolFailed, match=r"exit code 1: cannot read x\.yaml in \.") as raised:
        await run(tmp_path, 'echo "cannot read $PWD/x.yaml in $PWD" >&2; exit 1')
    assert str(tmp_path) not in str(raised.value)


async def test_a_crash_is_told_without_its_trace(tmp_path):
    with pytest.raises(ToolFailed, match="runtime error: index out of range") as raised:
        await run(
            tmp_path, "printf 'panic: runtime error: index out of range\\n\\ngoroutine 1 [running]:\\n' >&2; exit 2"
        )
    assert "goroutine" not in str(raised.value)


async def test_an_end_without_words_is_a_crash(tmp_path):
    with pytest.raises(ToolFailed, match="it crashed"):
        await run(tmp_path, "exit 2")


async def test_memory_that_ran_out_is_a_limit(tmp_path):
    with pytest.raises(LimitExceeded, match="more memory than a render may have"):
        await run(tmp_path, "printf 'fatal error: runtime: cannot allocate memory\\n' >&2; exit 2")


async def test_time_that_ran_out_is_a_limit_and_not_for_trying_again(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "_DEADLINE_S", 0.2)
    with pytest.raises(LimitExceeded, match="longer than"):
        await run(tmp_path, "sleep 30")


async def test_its_environment_is_the_same_everywhere(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_CANARY", "canary")
    finished = await run(tmp_path, "env")
    assert b"canary" not in finished.stdout
    assert b"HOME=/nonexistent" in finished.stdout


@pytest.mark.parametrize(
    ("version", "told"),
    [("", ""), ("v1.31.2", "1.31.2"), ("1.29", "1.29"), ("v1.27.3-gke.100", "1.27.3"), ("1.30+", "1.30"), (" 1.2.3.4", "1.2.3.4")],
)  # fmt: skip
def test_versions_of_kubernetes_lose_what_vendors_add(version, told):
    assert kube_version(version) == told


@pytest.mark.parametrize("version", ["1", "latest", "v01.2", "1.02"])
def test_other_versions_are_refused(version):
    with pytest.raises(InvalidInput, match="could not parse kubernetes version"):
        kube_version(version)


@pytest.mark.parametrize("inline_bytes", [0, 1 << 20])
async def test_printed_objects_come_with_warnings_about_keys_set_twice(inline_bytes):
    text = b"a: 1\nmetadata: {x: 1, x: 2}\n---\n# nothing\n---\nnull\n---\nb: 2\n"
    found, warnings = await objects(text, "tool", lambda _: Origin("f.yaml"), inline_bytes=inline_bytes)
    assert [each.object for each in found] == [{"a": 1, "metadata": {"x": 2}}, {"b": 2}]
    assert warnings == ("f.yaml sets metadata.x twice; the last one counts",)


async def test_printed_text_that_is_no_object_is_refused():
    with pytest.raises(InvalidInput, match="it is not an object"):
        await objects(b"just text", "tool", lambda _: Origin("f.yaml"), inline_bytes=100)


def test_the_content_of_a_folder_changes_with_what_its_links_point_to():
    def tree(text):
        return MemoryTree({"chart/a": b"1", "shared/v/x": text, "other": b"o"}, {"chart/values": "../shared/v"})

    assert content(tree(b"1"), "chart") != content(tree(b"2"), "chart")
    assert content(tree(b"1"), "chart") == content(tree(b"1"), "chart")


def test_the_content_of_a_folder_ends_where_links_go_round():
    tree = MemoryTree({"a/x": b"1"}, {"a/up": "..", "a/gone": "nothing"})
    assert any(text.startswith("a/nothing") for text in content(tree, "a"))
