"""Which tool is used."""

import os

import pytest

from plumbline.base.errors import ToolMissing
from plumbline.terraform.tool import finding, found

from .conftest import stand_in


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


async def test_terraform_comes_before_tofu_unless_told_otherwise(path):
    stand_in(path, "tofu", "1.8.0")
    assert (await found()).name == "tofu"
    stand_in(path, "terraform", "1.9.0")
    chosen = await found()
    assert (chosen.name, chosen.version, chosen.path, chosen.platform) == (
        "terraform",
        "1.9.0",
        path / "terraform",
        "linux_amd64",
    )
    assert chosen.registry == "registry.terraform.io"
    other = await found(("tofu", "terraform"))
    assert (other.name, other.registry) == ("tofu", "registry.opentofu.org")


@pytest.mark.parametrize(
    ("name", "version", "why"),
    [
        ("terraform", "1.4.7", "1.5 is the oldest"),
        ("terraform", "0.15.0", "1.5 is the oldest"),
        ("tofu", "1.5.9", "1.6 is the oldest"),
        ("terraform", "dev", "does not say its version"),
        ("terraform", '", "', "does not say its version"),
    ],
)
async def test_what_is_too_old_or_no_such_tool_is_refused_with_a_way_out(path, name, version, why):
    stand_in(path, name, version)
    with pytest.raises(ToolMissing) as caught:
        await found()
    assert why in caught.value.why
    assert "Install Terraform" in caught.value.hint


async def test_where_there_is_none_both_are_named(path):
    with pytest.raises(ToolMissing) as caught:
        await found()
    assert "terraform: " in caught.value.why
    assert "tofu: " in caught.value.why


async def test_a_tool_is_asked_once_and_again_when_it_changed(path, monkeypatch):
    asked = []
    really = finding.run

    async def counted(command):
        asked.append(command.argv[0])
        return await really(command)

    monkeypatch.setattr(finding, "run", counted)
    place = stand_in(path, "terraform", "1.9.0")
    for _ in range(3):
        assert (await found()).version == "1.9.0"
    assert len(asked) == 1
    stand_in(path, "terraform", "1.10.2")
    os.utime(place, ns=(1, 1))
    assert (await found()).version == "1.10.2"
    assert len(asked) == 2


async def test_what_is_known_of_tools_is_bounded(path, monkeypatch):
    monkeypatch.setattr(finding, "_MOST_KNOWN", 1)
    stand_in(path, "terraform", "1.9.0")
    stand_in(path, "tofu", "1.9.0")
    assert {(await found((name,))).name for name in ("terraform", "tofu")} == {"terraform", "tofu"}
    assert len(finding._known) == 1
