"""What the tool sees of the world, and what the world sees of its secrets."""

import pytest

from plumbline.base.errors import InvalidInput, PlumblineError
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.terraform.tool.environment import refuse_foreign
from plumbline.terraform.work import Applying, Argument, Placed, Workplace

from .conftest import acting_room, stand_in

CANARIES = ("canary-of-environment", "canary-of-backend", "canary-of-file", 'canary "of" variables', "canary-of-list")
GIVEN = Workplace(
    environment=(Argument("TOKEN", Plaintext(CANARIES[0])),),
    backend=(Argument("password", Plaintext(CANARIES[1])),),
    files=(
        Placed("home", ".netrc", Plaintext(f"{CANARIES[2]}\nmore\n")),
        Placed(
            "module",
            "generated.auto.tfvars.json",
            Plaintext(r'{"a": "canary \"of\" variables", "b": ["canary-of-list"]}'),
        ),
    ),
)


@pytest.mark.parametrize(
    "name",
    [
        "TF_CLI_ARGS",
        "TF_CLI_ARGS_plan",
        "tf_cli_args_apply",
        "TF_CLI_CONFIG_FILE",
        "TF_DATA_DIR",
        "TF_LOG",
        "TF_LOG_PATH",
        "TF_PLUGIN_CACHE_DIR",
        "TF_REATTACH_PROVIDERS",
        "TF_WORKSPACE",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "BASH_ENV",
        "GIT_SSH_COMMAND",
        "HOME",
        "PATH",
        "PYTHONPATH",
    ],
)
def test_what_would_change_how_the_tool_runs_is_refused(name):
    with pytest.raises(InvalidInput) as caught:
        refuse_foreign([name])
    assert name in caught.value.what
    assert caught.value.why


def test_credentials_and_variables_are_let_through():
    refuse_foreign(
        ["AWS_ACCESS_KEY_ID", "KUBE_CONFIG_PATH", "TF_VAR_x", "TF_ENCRYPTION", "HTTPS_PROXY", "ARM_CLIENT_ID"]
    )


async def test_the_environment_is_made_from_nothing(acted, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "ours")
    async with acted.opened(MemoryTree({"state.sh": b"env"}), GIVEN) as session:
        lines = (await session.state()).reveal().decode().splitlines()
    seen = dict(line.split("=", 1) for line in lines if "=" in line)
    assert set(seen) - {"PWD", "OLDPWD", "SHLVL", "_"} == {
        "TOKEN",
        "HOME",
        "PATH",
        "PLUGIN_UNIX_SOCKET_DIR",
        "TMPDIR",
        "CHECKPOINT_DISABLE",
        "TF_CLI_CONFIG_FILE",
        "TF_DATA_DIR",
        "TF_INPUT",
        "TF_IN_AUTOMATION",
        "GIT_ALLOW_PROTOCOL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_TERMINAL_PROMPT",
    }
    assert seen["TOKEN"] == CANARIES[0]


async def test_the_tool_reaches_nothing_of_ours(acted, tmp_path):
    ours = tmp_path / "ours"
    ours.write_text("ours")
    tree = MemoryTree(
        {
            "state.sh": f"cat {ours} /proc/1/environ; echo x > {tmp_path}/new; echo x > {tmp_path}/room/providers/mirror/new; echo end".encode()
        }
    )
    async with acted.opened(tree, Workplace()) as session:
        assert (await session.state()).reveal() == b"end"
    assert not (tmp_path / "new").exists()


async def test_without_network_there_is_none(folder, tmp_path):
    room = acting_room(folder, stand_in(tmp_path), network=False)
    script = "import socket\\ntry:\\n    socket.socket()\\nexcept OSError:\\n    print('none')\\nsocket.socket(socket.AF_UNIX)\\n"
    tree = MemoryTree({"state.sh": f'printf "{script}" | /usr/bin/python3 -'.encode()})
    async with room.opened(tree, Workplace()) as session:
        assert (await session.state()).reveal() == b"none"


PRINTS = 'cat ~/.netrc generated.auto.tfvars.json "${TF_CLI_CONFIG_FILE%/*}"/backend.tfbackend; echo $TOKEN; cat said'
EVENT = encode({"diagnostic": {"severity": "error", "summary": CANARIES[0], "detail": " ".join(CANARIES[1:])}})


async def _asked(session, verb):
    match verb:
        case "plan":
            await session.plan()
        case "apply":
            await session.apply(Applying(plan=Plaintext(b"x")))
        case "output":
            await session.outputs()
        case "state":
            await session.state()


@pytest.mark.parametrize("verb", ["init", "plan", "apply", "output", "state"])
@pytest.mark.parametrize("stream", ["stderr", "stdout"])
async def test_no_secret_is_in_any_error(acted, verb, stream):
    script = f"{{ echo 'Error: failed'; echo; {PRINTS}; }} >&2; exit 1" if stream == "stderr" else f"{PRINTS}; exit 1"
    tree = MemoryTree({f"{verb}.sh": script.encode(), "said": EVENT + b"\n"})
    with pytest.raises(PlumblineError) as caught:
        async with acted.opened(tree, GIVEN) as session:
            await _asked(session, verb)
    shown = f"{caught.value} {caught.value.hint} {caught.value!r} {caught.value.__cause__}"
    # What is masked was there; where stdout is an answer, nothing of it is shown.
    assert "***" in shown or (stream == "stdout" and verb in {"init", "output", "state"})
    assert [each for each in CANARIES if each in shown or each.replace('"', '\\"') in shown] == []


async def test_errors_name_files_as_people_do(acted):
    said = b'printf \'Error: bad\\n\\n%s and %s\\n\' "$PWD/main.tf" "$HOME/.netrc" >&2; exit 1'
    async with acted.opened(MemoryTree({"app/plan.sh": said}), Workplace(path="app")) as session:
        with pytest.raises(PlumblineError) as caught:
            await session.plan()
    assert caught.value.why == "bad: main.tf and ~/.netrc"
