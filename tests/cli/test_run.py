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


def test_logins_are_allowed_by_name(run, wanted):
    said = run("run", "--login-command=kubelogin", "--login-command=/opt/login", "--login-host=API.example.org")
    assert said.code == 0, said.err
    assert (wanted[0].login_commands, wanted[0].login_hosts) == ({"kubelogin", "/opt/login"}, {"api.example.org"})
    assert run("run").code == 0
    assert (wanted[1].login_commands, wanted[1].login_hosts) == (set(), set()), "nothing, unless somebody says so"


@pytest.mark.parametrize(
    "said",
    ["--login-command=bin/login", "--login-command=./login", "--login-command=", "--login-host=https://x", "--login-host=*", "--login-host=*.", "--login-host=a*.b"],
)  # fmt: skip
@pytest.mark.parametrize("verb", ["run", "up"])
def test_what_names_no_command_or_host_is_refused(run, wanted, verb, said):
    assert run(verb, said).code == 2
    assert wanted == []


def test_an_empty_address_and_an_unknown_room_are_refused(run, wanted, tmp_path):
    (tmp_path / "url").write_text("\n")
    assert run("run", f"--journal={tmp_path / 'url'}").code == 2
    refused = run("run", "--only=delivery,dance")
    assert refused.code == 2
    assert "dance" in refused.err
    assert wanted == []
