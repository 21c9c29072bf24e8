"""Whether a repository answers as somebody describes it, before anybody saves it."""

import base64

import pytest

from plumbline.base.errors import InvalidInput, NotFound, PlumblineError, TimedOut, Unauthenticated, Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.source.git import exchange as exchange_module
from plumbline.source.git.access import access
from plumbline.source.repository import Credentials, Repository

CANARY = "CANARY-password"


def with_password(url, password=CANARY):
    return Repository(url=url, credentials=Credentials(username="ada", password=Plaintext(password)))


async def test_one_that_answers_is_asked_once_for_its_head_and_nothing_is_kept(make, server, runs, tmp_path):
    sources = make()
    await sources.reach(Repository(url=server.url("app.git")), within_s=10)
    assert server.asked == ["capabilities", "ls-refs"]
    assert len(runs) == 1
    assert sorted(each.name for each in (tmp_path / "mirrors").iterdir()) == ["home"]


async def test_the_credentials_that_are_described_are_the_ones_that_are_used(make, server):
    server.required = "Basic " + base64.b64encode(f"ada:{CANARY}".encode()).decode()
    sources = make()
    await sources.reach(with_password(server.url("app.git")), within_s=10)
    with pytest.raises(Unauthenticated) as refused:
        await sources.reach(with_password(server.url("app.git"), "CANARY-wrong"), within_s=10)
    assert "CANARY" not in f"{refused.value}"
    with pytest.raises(Unauthenticated):
        await sources.reach(Repository(url=server.url("app.git")), within_s=10)


@pytest.mark.parametrize(
    ("url", "error", "why"),
    [
        ("file:///etc", InvalidInput, "a path of ours"),
        ("/etc/passwd", InvalidInput, "a path of ours without a scheme"),
        ("ext::sh -c id", InvalidInput, "a program"),
        ("--upload-pack=id", InvalidInput, "an option"),
        ("oci://registry.example.org/x", InvalidInput, "no git"),
        ("http://127.0.0.1:1/app.git", Unreachable, "nobody listens"),
        ("http://user:CANARY-url@127.0.0.1:1/app.git", Unreachable, "a password in the address"),
    ],
)
async def test_what_cannot_be_reached_is_said_without_credentials(make, runs, url, error, why):
    with pytest.raises(error) as refused:
        await make().reach(Repository(url=url), within_s=10)
    assert "CANARY" not in f"{refused.value}", why
    assert len(runs) == (error is Unreachable), why


async def test_one_that_is_not_there_is_not_found(make, server):
    with pytest.raises(NotFound):
        await make().reach(Repository(url=server.url("none.git")), within_s=10)


async def test_a_server_that_says_nothing_is_not_waited_for(make, server):
    server.spoil["capabilities"] = lambda _: iter((None,))
    with pytest.raises(PlumblineError):
        await make().reach(Repository(url=server.url("app.git")), within_s=0.5)


async def test_too_long_a_run_is_told_as_such(make, server, monkeypatch):
    async def ended(_):
        raise TimedOut("git ls-remote", why="it took longer than 1 s")

    monkeypatch.setattr(exchange_module, "run", ended)
    with pytest.raises(TimedOut, match="Cannot reach"):
        await make().reach(Repository(url=server.url("app.git")), within_s=1)


async def test_one_that_stands_here_is_read_where_it_stands(make, origin, runs):
    described = Repository(url="https://forge.example/team/app.git", stands_at=str(origin.path))
    await make().reach(described, within_s=10)
    assert len(runs) == 1
    async with access(described, Credentials(), origin.path.parent) as reached:
        assert reached.protocols == "file"
