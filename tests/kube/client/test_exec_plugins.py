"""Plugins through the seam that runs them; the real thing is run in the conformance tests and at the end of this file."""

import asyncio
from datetime import timedelta

import pytest

from plumbline.base.clock import rfc3339
from plumbline.base.errors import BadKubeconfig, LimitExceeded, LoginFailed, TimedOut, ToolFailed, ToolMissing
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import Finished
from plumbline.kube.client import Connection
from plumbline.kube.client.execplugin import FromPlugin
from plumbline.kube.client.parts import Certificate, ExecPlugin, Proxy, ServerTrust, User
from plumbline.kube.client.sources import credentials_of

VERSION = "client.authentication.k8s.io/v1"
PLUGIN = ExecPlugin(command="login", api_version=VERSION, args=("a",), environment=(("KEY", Plaintext("hunter2")),))


def credential(version=VERSION, **status):
    return encode({"apiVersion": version, "kind": "ExecCredential", "status": status})


def finished(stdout=b"", code=0, stderr=b""):
    return Finished(
        exit_code=code,
        stdout=stdout,
        stderr=stderr,
        discarded_bytes=0,
        elapsed_s=0,
        cpu_s=0,
        peak_bytes=0,
        unenforced=(),
    )


class Runs:
    """What runs in place of a process: outcomes in turn, the last one for ever."""

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.commands = []

    async def __call__(self, command):
        self.commands.append(command)
        await asyncio.sleep(0)
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome if isinstance(outcome, Finished) else finished(outcome)


def plugin(clock, runs, using=PLUGIN, **more):
    return FromPlugin(using, Connection("https://api.example", source="context 'c'", **more), clock, runs)


async def test_the_token_that_is_printed_is_used_until_it_expires(clock):
    later = rfc3339(clock.now() + timedelta(minutes=10))
    runs = Runs(credential(token="one", expirationTimestamp=later), credential(token="two"))
    credentials = plugin(clock, runs)
    assert credentials.ready() is None
    first = await credentials.renew(None)
    assert first.headers == (("Authorization", "Bearer one"),)
    await clock.advance(599)
    assert credentials.ready() is first
    await clock.advance(2)
    assert credentials.ready() is None
    assert (await credentials.renew(None)).headers == (("Authorization", "Bearer two"),)
    await clock.advance(100_000)
    assert credentials.ready() is not None, "without an expiry it is good until refused"
    assert len(runs.commands) == 2


async def test_certificates_can_be_printed(clock):
    runs = Runs(credential(clientCertificateData="C", clientKeyData="K"))
    identity = await plugin(clock, runs).renew(None)
    assert (identity.headers, identity.certificate) == ((), Certificate(b"C", Plaintext("K")))


async def test_a_plugin_is_told_what_it_needs(clock):
    runs = Runs(credential(token="t"))
    await plugin(clock, runs).renew(None)
    (command,) = runs.commands
    assert command.argv == ("login", "a")
    assert command.environment["KEY"] == Plaintext("hunter2")
    assert decode(command.environment["KUBERNETES_EXEC_INFO"]) == {
        "apiVersion": VERSION,
        "kind": "ExecCredential",
        "spec": {"interactive": False},
    }
    assert "PATH" in command.inherit, "plugins live in the user's environment"
    assert (command.mask_stdout, command.deadline_s, command.stdout_limit_bytes) == (False, 60.0, 1 << 20)


async def test_a_plugin_that_asks_is_told_about_the_cluster(clock):
    asking = ExecPlugin(command="login", api_version=VERSION, provide_cluster=True, cluster_config={"audience": "x"})
    runs = Runs(credential(token="t"))
    proxy = Proxy("http://proxy", Plaintext("hunter2"))
    await plugin(clock, runs, asking, trust=ServerTrust(b"CA", server_name="n"), proxy=proxy).renew(None)
    told = runs.commands[0].environment["KUBERNETES_EXEC_INFO"]
    assert decode(told)["spec"]["cluster"] == {
        "server": "https://api.example",
        "tls-server-name": "n",
        "certificate-authority-data": "Q0E=",
        "proxy-url": "http://proxy",
        "config": {"audience": "x"},
    }


async def test_many_who_wait_run_it_once(clock):
    runs = Runs(credential(token="t"))
    credentials = plugin(clock, runs)
    got = await asyncio.gather(*(credentials.renew(None) for _ in range(50)))
    assert len(set(map(id, got))) == 1
    assert len(runs.commands) == 1


async def test_a_refused_token_is_replaced_but_not_for_ever(clock):
    runs = Runs(credential(token="one"), credential(token="two"))
    credentials = plugin(clock, runs)
    first = await credentials.renew(None)
    assert await credentials.renew(first) is None, "it has just been made, and another would be refused as well"
    await clock.advance(11)
    second = await credentials.renew(first)
    assert second is not first
    assert await credentials.renew(first) is second, "somebody else renewed it meanwhile"
    assert len(runs.commands) == 2


@pytest.mark.parametrize("failure", [TimedOut("it hangs"), LimitExceeded("too much"), ToolFailed("no")])
async def test_a_failure_is_remembered_for_a_moment(clock, failure):
    runs = Runs(failure, credential(token="t"))
    credentials = plugin(clock, runs)
    got = await asyncio.gather(*(credentials.renew(None) for _ in range(50)), return_exceptions=True)
    assert {type(each) for each in got} == {type(failure)}
    assert len(runs.commands) == 1
    await clock.advance(6)
    assert (await credentials.renew(None)).headers
    assert len(runs.commands) == 2


async def test_a_missing_plugin_says_how_to_get_it(clock):
    using = ExecPlugin(command="login", api_version=VERSION, install_hint="brew install \x1b[31mlogin")
    with pytest.raises(ToolMissing) as caught:
        await plugin(clock, Runs(ToolMissing("no login", why="not on the PATH")), using).renew(None)
    assert caught.value.hint == "brew install  [31mlogin"
    assert "login of context 'c'" in caught.value.what
    assert caught.value.why == "not on the PATH"


async def test_a_missing_plugin_without_a_hint_has_the_usual_one(clock):
    with pytest.raises(ToolMissing) as caught:
        await plugin(clock, Runs(ToolMissing("no login"))).renew(None)
    assert "plumb doctor" in caught.value.hint


async def test_a_plugin_that_fails_says_why(clock):
    with pytest.raises(ToolFailed) as caught:
        await plugin(clock, Runs(finished(b"tok-en", 3, b"session \x1b[1mexpired\n"))).renew(None)
    assert "3" in caught.value.why
    assert "expired" in caught.value.why
    assert "\x1b" not in caught.value.why
    assert "tok-en" not in str(caught.value)


@pytest.mark.parametrize(
    "printed",
    [
        b"",
        b"hunter2",
        b'{"token":"hunter2"',
        encode({"kind": "ExecCredential", "apiVersion": VERSION}),
        encode({"kind": "Pod", "apiVersion": VERSION, "status": {"token": "hunter2"}}),
        credential("client.authentication.k8s.io/v1beta1", token="hunter2"),
        credential(),
        credential(clientCertificateData="hunter2"),
        credential(clientKeyData="hunter2"),
        credential(token="hunter2", expirationTimestamp="soon"),
        credential(token="hunter2", expirationTimestamp="2026-01-01T00:00:00"),
        credential(token=5),
    ],
)
async def test_what_is_no_credential_is_refused_without_quoting_it(clock, printed):
    with pytest.raises(ToolFailed) as caught:
        await plugin(clock, Runs(printed)).renew(None)
    assert "hunter2" not in f"{caught.value}"


async def test_a_token_that_would_smuggle_a_header_is_refused(clock):
    with pytest.raises(BadKubeconfig):
        await plugin(clock, Runs(credential(token="a\r\nX: y"))).renew(None)


async def test_a_plugin_that_insists_on_a_terminal_is_not_run(clock):
    runs = Runs(credential(token="t"))
    using = ExecPlugin(command="login", api_version=VERSION, interactive="Always")
    with pytest.raises(BadKubeconfig):
        await plugin(clock, runs, using).renew(None)
    assert runs.commands == []


async def test_where_nobody_attends_to_it_a_failure_passes(clock):
    using = ExecPlugin(command="login", api_version=VERSION, inherit=("PATH",), unattended=True)
    runs = Runs(finished(b"", 1, b"expired"), credential(token="one"))
    credentials = plugin(clock, runs, using)
    with pytest.raises(LoginFailed) as failed:
        await credentials.renew(None)
    assert "expired" in failed.value.why
    assert (runs.commands[0].inherit, runs.commands[0].deadline_s) == (("PATH",), 15.0)
    await clock.advance(6)
    token = await credentials.renew(None)
    with pytest.raises(LoginFailed):
        await credentials.renew(token)


async def test_a_real_command_is_run(clock, tmp_path):
    script = tmp_path / "login"
    script.write_text(f"#!/bin/sh\ncat <<E\n{credential(token='t').decode()}\nE\n")
    script.chmod(0o700)
    user = User(exec_plugin=ExecPlugin(command=str(script), api_version=VERSION))
    credentials = credentials_of(Connection("https://x", user=user), clock)
    assert (await credentials.renew(None)).headers == (("Authorization", "Bearer t"),)
