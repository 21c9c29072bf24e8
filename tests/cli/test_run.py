"""What `plumb run` is told is what it is asked for."""

import pytest

import plumbline.wiring
from plumbline.kinds.rooms import EVERY_ROOM


@pytest.fixture
def wanted(monkeypatch):
    """What would have been run, once it was."""
    asked = []

    async def run(running, _):
        asked.append(running)

    monkeypatch.setattr(plumbline.wiring, "run", run)
    return asked


def test_unless_told_otherwise_every_room_is_run_for_this_machine_alone(run, wanted):
    assert run("run").code == 0
    (running,) = wanted
    assert (running.only, running.web_host, running.journal, running.enforce) == (EVERY_ROOM, "", None, False)


def test_an_address_of_the_journal_is_read_and_never_shown(run, wanted, tmp_path):
    (tmp_path / "url").write_text("postgresql://plumb:s3cr3t@db/journal\n")
    said = run("run", "--only=delivery,secrets", "--web-host=10.0.0.5", f"--journal={tmp_path / 'url'}")
    assert said.code == 0, said.err
    (running,) = wanted
    assert running.only == {"delivery", "secrets"}
    assert running.web_host == "10.0.0.5"
    assert running.journal.reveal() == b"postgresql://plumb:s3cr3t@db/journal"
    assert "s3cr3t" not in f"{running} {said}"


def test_an_empty_address_and_an_unknown_room_are_refused(run, wanted, tmp_path):
    (tmp_path / "url").write_text("\n")
    assert run("run", f"--journal={tmp_path / 'url'}").code == 2
    refused = run("run", "--only=delivery,dance")
    assert refused.code == 2
    assert "dance" in refused.err
    assert wanted == []
