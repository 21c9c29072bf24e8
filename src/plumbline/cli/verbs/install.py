import ipaddress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import click

from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.options import login_options, only_option, output_option

if TYPE_CHECKING:
    from plumbline.base.json import JsonObject

_SECRET: Final = "Secret in the namespace"  # noqa: S105 - words
_UNASKED: Final = (
    "note: several replicas without --admission-secret cannot be asked whether something in use may be deleted, or who "
    "approved a plan: nobody will be."
)


def _name(ctx: click.Context, option: click.Parameter, said: str) -> str:
    from plumbline.kube.spelling import dns_subdomain_faults  # noqa: PLC0415 - only when there is a name to read

    if said and (faults := dns_subdomain_faults(said)):
        raise click.BadParameter(f"{said!r}: {faults[0]}", ctx, option)
    return said


def _networks(ctx: click.Context, option: click.Parameter, said: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(str(ipaddress.ip_network(each)) for each in said)
    except ValueError as odd:
        raise click.BadParameter(f"{odd}", ctx, option) from odd


@click.command("install")
@click.option("--observe", "mode", flag_value="observe", default=True, help="Look, with no right to write anything but our own; the default.")  # fmt: skip
@click.option("--adopt", "mode", flag_value="adopt", help="Observe, with the rights to write what `plumb adopt` hands over.")  # fmt: skip
@click.option("--enforce", "mode", flag_value="enforce", help="Write everything but what was released.")
@click.option("-n", "--namespace", default="argocd", show_default=True, callback=_name, help="Namespace of the pods, projects and settings.")  # fmt: skip
@click.option("--image", default="", metavar="IMAGE", help="Image of the pods; plumbline:VERSION if not given.")
@click.option("--replicas", type=click.IntRange(1, 9), default=1, show_default=True, help="Pods; one of them leads.")
@only_option
@click.option("--runner-image", default="", metavar="IMAGE", help="Image of the Jobs that run Terraform; the same one if not given.")  # fmt: skip
@click.option("--key-namespace", default="kube-system", show_default=True, callback=_name, help="Namespace of the sealing keys of SealedSecrets.")  # fmt: skip
@click.option("--admission-secret", "certificates", default="", metavar="NAME", callback=_name, help=f"{_SECRET} with tls.crt, tls.key and ca.crt of the admission port; several replicas need it.")  # fmt: skip
@click.option("--journal-secret", "journal", default="", metavar="NAME", callback=_name, help=f"{_SECRET} whose key url is the address of a PostgreSQL for the journal.")  # fmt: skip
@click.option("--claim", default="", metavar="NAME", callback=_name, help="PersistentVolumeClaim for what is kept outside of the API; for one replica.")  # fmt: skip
@click.option("--priority-class", default="", metavar="NAME", callback=_name, help="PriorityClass of the pods.")
@click.option("--api-server", "api_servers", multiple=True, metavar="CIDR", callback=_networks, help="Network that API servers come from; may be repeated, anywhere if not given.")  # fmt: skip
@login_options
@click.option("--plugins", is_flag=True, help="Share a folder with sidecars of config management plugins.")
@click.option("--no-crds", "kinds", flag_value="none", help="Leave the kinds out, as where somebody else has brought them.")  # fmt: skip
@click.option("--crds-only", "kinds", flag_value="only", help="Print the kinds and nothing else.")
@output_option("yaml", "json")
@common
def verb(*, output: str, kinds: str | None, image: str, **asked: Any) -> Exit:
    """Print what a cluster needs to have the controllers in it. Nothing is applied.

    It is for `kubectl apply --server-side -f -`, or for a repository. The same question has the same answer, byte for byte.
    """
    from plumbline.cli.installing import Wanted, definitions, manifests  # noqa: PLC0415 - loads every kind

    ours = version("plumbline")
    wanted = Wanted(image=image or f"plumbline:{ours}", version=ours, **asked)
    if wanted.claim and wanted.replicas > 1:
        raise click.UsageError("--claim is for one replica: no two of them share a folder")
    printed = [] if kinds == "none" else definitions(wanted.only)
    if kinds != "only":
        namespace, *rest = manifests(wanted)
        printed = [namespace, *printed, *rest]
        if wanted.asked and not wanted.admits:
            click.echo(_UNASKED, err=True)
    click.echo(_stream(printed, output), nl=False)
    return Exit.DONE


def _stream(objects: "list[JsonObject]", form: str) -> str:
    from plumbline.cli.output import text_of  # noqa: PLC0415 - as above

    if form == "json":
        return text_of({"apiVersion": "v1", "kind": "List", "items": objects}, form)
    return "---\n".join(text_of(each, form) for each in objects)
