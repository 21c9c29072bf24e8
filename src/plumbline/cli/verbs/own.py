from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.options import cluster_options, namespace_option, output_option
from plumbline.cli.output import print_value

if TYPE_CHECKING:
    from plumbline.ownership.boundaries import Policy
    from plumbline.ownership.declared.edges import Tree
    from plumbline.ownership.gathering import Gathered


@click.group("own", invoke_without_command=True)
@common
@click.pass_context
def verb(ctx: click.Context) -> None:
    """Say who owns what, and refuse two owners of one thing.

    Every object in a cluster and everything outside that it stands for has one owner: an Application, a claim, a
    Terraform workspace, a person. `check` finds second owners in files, before anything is written; the others ask a
    cluster.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@verb.command("check")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path), metavar="[PATH]...")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Boundaries to check against, instead of .plumbline/boundaries.yaml of the checkout.",
)
@click.option(
    "--app",
    "apps",
    multiple=True,
    metavar="NAME=FOLDER",
    help="Folder with what an Application renders to, where that is not what its manifest points at.",
)
@output_option("text", "json", "yaml")
@common
@click.pass_context
def check_verb(
    ctx: click.Context, paths: tuple[Path, ...], policies: tuple[Path, ...], apps: tuple[str, ...], output: str
) -> Exit:
    """Find second owners in files: manifests, Compositions, HCL, state, plans.

    Nothing is asked but the files. Exits 1 if something has two owners, if an owner may not own what it claims, or if
    Terraform's files cannot be read; the places of both sides and a way out are named.
    """
    from plumbline.cli.verbs.own_drawing import drawn_report, summary  # noqa: PLC0415 - not for --help
    from plumbline.ownership.declared import Options, check  # noqa: PLC0415 - loads YAML, which --help must not
    from plumbline.ownership.declared.edges import read_tree  # noqa: PLC0415 - same
    from plumbline.ownership.declared.report import report_json  # noqa: PLC0415 - same

    tree = read_tree(paths or (Path(),), Path.cwd())
    options = Options(dict(_app(each, tree) for each in apps), _policy(policies, tree))
    report = check(tree.files, options)
    report = report._replace(unread=(*tree.unread, *report.unread))
    if output != "text":
        print_value(report_json(report), output)
    else:
        for line in drawn_report(report):
            click.echo(line)
    for line in summary(report, verbose=ctx.obj.verbose):
        click.echo(line, err=True)
    return Exit.DONE if report.passed else Exit.NO


def _policy(files: tuple[Path, ...], tree: "Tree") -> "Policy":
    from plumbline.ownership.declared import File, read_policy  # noqa: PLC0415 - loads YAML, which --help must not
    from plumbline.ownership.declared.edges import content_of  # noqa: PLC0415 - same
    from plumbline.ownership.declared.files import POLICY  # noqa: PLC0415 - same

    usual = tree.root / POLICY
    if files:
        return read_policy([File(str(each), content_of(each)) for each in files])
    return read_policy([File(POLICY, content_of(usual))] if usual.is_file() else [])


def _app(text: str, tree: "Tree") -> tuple[str, str]:
    name, separator, folder = text.partition("=")
    path = Path(folder).absolute()
    if not name or not separator or not folder or not path.is_relative_to(tree.root):
        raise click.UsageError(
            "Write --app NAME=FOLDER, with a folder in the same checkout.", click.get_current_context()
        )
    relative = path.relative_to(tree.root).as_posix()
    return name, "" if relative == "." else relative


@verb.command("list")
@click.option("--owner", default="", help="Only what this owner has; the name may have * in it.")
@click.option("--external", is_flag=True, help="Only what is outside of clusters.")
@click.option("--unowned", is_flag=True, help="Only what nobody declares to own, with whoever left traces on it.")
@namespace_option
@cluster_options
@output_option("table", "json", "yaml")
@common
def list_verb(
    owner: str,
    external: bool,
    unowned: bool,
    namespace: str,
    kubeconfig: Path | None,
    context: str,
    output: str,
) -> Exit:
    """List resources of a cluster and outside, with the owner of each.

    The owner is the one at the end of the chain: of a database behind a claim that an Application delivers, it is the
    Application. Left out is what controllers make in numbers (pods, events) and what only Kubernetes itself has
    written; `explain` knows it all.
    """
    from plumbline.cli.verbs.own_drawing import Wanted, drawn_list, listed, listed_json, unseen  # noqa: PLC0415 - not for --help

    gathered = performed(_gathered(kubeconfig, context))
    rows = listed(gathered.ledger, Wanted(owner, namespace, external=external, unowned=unowned))
    if output != "table":
        print_value({"items": [listed_json(row) for row in rows]}, output)
    else:
        click.echo(drawn_list(rows))
    for line in unseen(gathered):
        click.echo(line, err=True)
    return Exit.DONE


@verb.command("explain")
@click.argument("resource", metavar="KIND/NAME|ARN|TYPE/ID")
@namespace_option
@cluster_options
@output_option("text", "json", "yaml")
@common
def explain_verb(resource: str, namespace: str, kubeconfig: Path | None, context: str, output: str) -> Exit:
    """Show the chain of owners of one resource, and every claim on it.

    RESOURCE is an object (deployment/web, Deployment.apps/shop/web), an ARN or another id that says of itself what it
    is, or Terraform's type and an id (aws_db_instance/orders). Each claim comes with what says so, and where.
    """
    from plumbline.cli.verbs.own_asking import explained  # noqa: PLC0415 - loads the client, which --help must not
    from plumbline.cli.verbs.own_drawing import drawn_chain, links_json, unseen  # noqa: PLC0415 - same

    gathered, links = performed(explained(resource, namespace, kubeconfig, context))
    if output != "text":
        print_value({"chain": links_json(links)}, output)
    else:
        for line in drawn_chain(links):
            click.echo(line)
    for line in unseen(gathered):
        click.echo(line, err=True)
    return Exit.DONE


@verb.command("export")
@cluster_options
@common
def export_verb(kubeconfig: Path | None, context: str) -> Exit:
    """Print every claim of a cluster, one JSON object a line.

    For pipelines that compare clusters, or keep a record of who owned what.
    """
    from plumbline.base.json import encode  # noqa: PLC0415 - not for --help
    from plumbline.cli.verbs.own_drawing import unseen  # noqa: PLC0415 - same
    from plumbline.ownership.wording import claim_json  # noqa: PLC0415 - same

    gathered = performed(_gathered(kubeconfig, context))
    for claim in sorted(gathered.ledger.claims(), key=lambda each: (str(each.resource), each.order)):
        click.echo(encode(claim_json(claim)))
    for line in unseen(gathered):
        click.echo(line, err=True)
    return Exit.DONE


async def _gathered(kubeconfig: Path | None, context: str) -> "Gathered":
    from plumbline.cli.verbs.own_asking import gathered  # noqa: PLC0415 - loads the client, which --help must not

    return await gathered(kubeconfig, context)
