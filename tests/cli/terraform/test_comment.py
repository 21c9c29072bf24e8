"""`plumb tf comment`, and what verbs of `plumb tf` say about files and keys that they cannot use."""

import pytest
from click.testing import CliRunner
from tests.terraform.changed.forge import TOKEN, Forge

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.plaintext import Plaintext
from plumbline.cli.main import plumb as command
from plumbline.cli.terraform import applying, reports
from plumbline.cli.terraform.keys import key_from
from plumbline.terraform.changed.kept import Kept
from plumbline.terraform.changed.sealing import Header, Key

from .workshop import KEY

HEADER = Header(
    digest="a" * 64,
    folder="a",
    workspace="default",
    inputs="",
    commit="",
    tool="terraform",
    version="1.11.4",
    lineage="",
    serial=0,
    created="",
)


@pytest.fixture
def forge():
    served = Forge("github")
    yield served
    served.close()


def test_a_report_is_posted_and_kept_up_to_date(forge, tmp_path):
    report = tmp_path / "report.md"
    where = ("--forge", "github", "--repository", "o/r", "--change", "7", "--api", forge.url)
    said = []
    for text, given in (("one", str(report)), ("two", str(report)), ("two", "-")):
        report.write_text(text)
        arguments = ["tf", "comment", "--report", given, *where]
        result = CliRunner().invoke(command, arguments, input=text, env={"PLUMBLINE_FORGE_TOKEN": TOKEN})
        assert (result.exit_code, result.stdout) == (0, ""), result.stderr
        assert TOKEN not in result.stderr
        said.append(result.stderr)
    assert said == [
        "Comment 1 on o/r#7 was made.\n",
        "Comment 1 on o/r#7 was changed.\n",
        "Comment 1 on o/r#7 is as it was.\n",
    ]
    assert [body.splitlines()[-1] for *_, body in forge.comments] == ["two"]


def test_a_name_that_would_end_the_mark_is_refused(forge, tmp_path):
    (tmp_path / "r.md").write_text("x")
    arguments = ["tf", "comment", "--report", str(tmp_path / "r.md"), "--name", "x --> y", "--forge", "github"]
    more = ["--repository", "o/r", "--change", "7", "--api", forge.url]
    result = CliRunner().invoke(command, [*arguments, *more], env={"GITHUB_TOKEN": TOKEN})
    assert result.exit_code == 2
    assert forge.requests == []


def test_reports_and_keys_that_cannot_be_read_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InvalidInput):
        reports.content_of(tmp_path)
    with pytest.raises(InvalidInput):
        key_from(tmp_path)
    monkeypatch.setattr(reports, "_REPORT_BYTES", 3)
    (tmp_path / "r.md").write_text("long")
    with pytest.raises(LimitExceeded):
        reports.content_of(tmp_path / "r.md")


def test_a_state_that_the_tool_could_not_save_is_kept_sealed(tmp_path, capsys):
    key, kept = Key(Plaintext(KEY)), Kept(tmp_path)
    applying._unsaved(kept, key, HEADER, Plaintext("canary"))
    (file,) = tmp_path.iterdir()
    assert b"canary" not in file.read_bytes()
    assert key.opened(file.read_bytes())[1] == Plaintext("canary")
    assert str(file) in capsys.readouterr().err
