from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from plumbline.base.environment import home
from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.options import (
    cluster_options,
    data_option,
    endpoints_option,
    local_git_option,
    log_option,
    login_options,
    only_option,
)
from plumbline.cli.running import holding

if TYPE_CHECKING:
    from plumbline.base.log import Level
    from plumbline.base.plaintext import Plaintext
    from plumbline.wiring import Admitting, Started

WEB_PORT: Final = 8080
ADMISSION_PORT: Final = 9443


@click.command("run")
@common
@cluster_options
@data_option
@click.option(
    "--web-port",
    type=click.IntRange(0, 65535),
    default=WEB_PORT,
    show_default=True,
    help="Port of webhooks, metrics and health; 0 takes a free one.",
)
@click.option(
    "--web-host",
    default="",
    metavar="ADDRESS",
    help="Where that port listens; on this machine alone if not given, or everywhere with --runner-image.",
)
@only_option
@click.option(
    "--journal",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="File with the address of a PostgreSQL for the journal, such as a mounted Secret; a file in DATA if not given.",
)
@click.option("-n", "--namespace", default="argocd", show_default=True, help="Namespace of projects and settings.")
@click.option(
    "--admission-service",
    default="",
    metavar="NAMESPACE/NAME[:PORT]",
    help="Service through which the API server asks us whether something in use may be deleted.",
)
@click.option(
    "--admission-port",
    type=click.IntRange(0, 65535),
    default=ADMISSION_PORT,
    show_default=True,
    help="Port that the admission service leads to.",
)
@click.option(
    "--admission-certificates",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with tls.crt, tls.key and ca.crt of that port; made at every start unless given.",
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
@click.option(
    "--runner-image",
    default="",
    metavar="IMAGE",
    help="Run Terraform in Jobs with this image, which has plumb and the tool, instead of in this process.",
)
@click.option(
    "--artifacts-url",
    default="",
    metavar="URL",
    help="Address by which those Jobs reach the web port; that of this machine if not given.",
)
@click.option(
    "--sealing-port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="Port where kubeseal is answered, for a Service in front of it; 0 for none.",
)
@click.option(
    "--key-namespace",
    default="kube-system",
    show_default=True,
    help="Namespace of the sealing keys of SealedSecrets.",
)
@click.option(
    "--store-identity",
    is_flag=True,
    help="Let every SecretStore of AWS that names nobody sign in as this program, as ClusterSecretStores may.",
)
@login_options
@log_option
@click.option("--enforce", is_flag=True, help="Write, instead of only looking on until objects are handed over.")
def verb(
    data: Path | None,
    *,
    admission_service: str,
    admission_port: int,
    admission_certificates: Path | None,
    journal: Path | None,
    log_level: "Level",
    **asked: Any,
) -> Exit:
    """Run the controllers on a cluster, with its own API as the only state.

    Unless --enforce is given it observes: everything is computed and shown, and nothing is written but what was handed
    over with `plumb adopt`. Of several replicas one leads.
    """
    import uvloop  # noqa: PLC0415 - only needed here

    from plumbline.base.log import configure  # noqa: PLC0415 - as below
    from plumbline.wiring import Running, run  # noqa: PLC0415 - loads every room, which --help must not

    folder = data or home() / ".plumbline" / "run"
    admission = _admitting(admission_service, admission_port, admission_certificates)
    wanted = Running(data=folder, admission=admission, journal=_address(journal), **asked)
    configure(level=log_level)
    with holding(folder):
        uvloop.run(run(wanted, lambda started: click.echo(_welcome(started))))
    return Exit.DONE


def _admitting(service: str, port: int, certificates: Path | None) -> "Admitting | None":
    from plumbline.wiring import Admitting  # noqa: PLC0415 - as above

    if not service:
        return None
    place, _, outside = service.partition(":")
    namespace, slash, name = place.partition("/")
    if not (namespace and slash and name and (outside or "443").isdigit()):
        raise click.BadParameter(f"{service!r} is not NAMESPACE/NAME[:PORT]", param_hint="--admission-service")
    return Admitting(namespace, name, int(outside or 443), port, certificates)


def _address(journal: Path | None) -> "Plaintext | None":
    """It may hold a password: from here on nobody prints it."""
    from plumbline.base.plaintext import Plaintext  # noqa: PLC0415 - as above

    if journal is None:
        return None
    address = journal.read_text().strip()
    if not address:
        raise click.BadParameter(f"{journal} is empty", param_hint="--journal")
    return Plaintext(address)


def _welcome(started: "Started") -> str:
    return f"cluster   {started.url}\nweb       {started.web}"
