from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from plumbline.base.environment import home
from plumbline.cli.detaching import Ready, detached
from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.options import data_option, endpoints_option, local_git_option, login_options
from plumbline.cli.running import holding, note_web

if TYPE_CHECKING:
    from plumbline.wiring import Started, Up

API_PORT: Final = 6443
WEB_PORT: Final = 8080
SANDBOX_PORT: Final = 4566


@click.command("up")
@common
@data_option
@click.option(
    "--api-port",
    type=click.IntRange(0, 65535),
    default=API_PORT,
    show_default=True,
    help="Port of the Kubernetes API; 0 takes a free one.",
)
@click.option(
    "--web-port",
    type=click.IntRange(0, 65535),
    default=WEB_PORT,
    show_default=True,
    help="Port of the web API, webhooks and /git/; 0 takes a free one.",
)
@click.option(
    "--sandbox-port",
    type=click.IntRange(0, 65535),
    default=SANDBOX_PORT,
    show_default=True,
    help="Port of the simulated AWS, which starts when it is first used; 0 takes a free one.",
)
@click.option(
    "--functions",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="File that says where composition functions are that do not come with us.",
)
@click.option(
    "--plugins",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of config management plugins: their definitions, and the sockets of sidecars.",
)
@local_git_option
@endpoints_option
@login_options
@click.option("--durable", is_flag=True, help="Wait for the disk with every write, so that a power cut loses nothing.")
@click.option("--bare", is_flag=True, help="Start without the sample platform.")
@click.option("-d", "--detach", is_flag=True, help="Return when it is ready, and let it run on.")
def verb(data: Path | None, *, detach: bool, **asked: Any) -> Exit:
    """Start everything in one process: a Kubernetes API, delivery, composition and providers, and Git repositories at /git/.

    It runs in the foreground until it is asked to end, and goes on where it was when it is started again. The first start
    makes a sample platform: a repository, and applications that deliver it.
    """
    from plumbline.wiring import Up  # noqa: PLC0415 - loads every room, which --help must not

    folder = data or home() / ".plumbline"
    wanted = Up(data=folder, **asked)
    if detach:
        click.echo(detached(lambda ready: _run(wanted, ready), _log(folder)))
        return Exit.DONE
    _run(wanted, click.echo)
    return Exit.DONE


def _run(wanted: "Up", ready: Ready) -> None:
    import uvloop  # noqa: PLC0415 - only needed here

    from plumbline.wiring import up  # noqa: PLC0415 - as above

    def begun(started: "Started") -> None:
        note_web(wanted.data, started.web)
        ready(_welcome(started))

    with holding(wanted.data):
        uvloop.run(up(wanted, begun))


def _welcome(started: "Started") -> str:
    simulated = f"simulated AWS    {started.sandbox}\n" if started.sandbox else ""
    sample = f"sample platform  {started.sample}\n" if started.sample else ""
    looks = (
        "\nplumb app list        # what the sample platform delivers; docs/tour.md leads through it" if sample else ""
    )
    return (
        f"Kubernetes API   {started.url}\nkubeconfig       {started.kubeconfig}\nweb and /git/    {started.web}\n"
        f"{simulated}{sample}log in           {started.login}\n\nexport KUBECONFIG={started.kubeconfig}{looks}"
    )


def _log(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / "plumb.log"
