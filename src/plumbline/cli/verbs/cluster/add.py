import sys
from typing import Any

import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags

_SYSTEM = "kube-system"


@click.command("add", cls=GoFlags)
@click.argument("context_name", metavar="CONTEXT")
@click.option("--name", default="", help="What to call it; CONTEXT if not given.")
@click.option("--namespace", "namespaces", multiple=True, help="Only this namespace of it; may be repeated.")
@click.option("--cluster-resources", is_flag=True, help="With --namespace: kinds without namespaces as well.")
@click.option("--project", default="", help="Only for this project.")
@click.option("--shard", type=int, default=-1, help="Which replica looks after it.")
@click.option("--label", "labels", multiple=True, help="Label of it, as KEY=VALUE.")
@click.option("--annotation", "annotations", multiple=True, help="Annotation of it, as KEY=VALUE.")
@click.option("--service-account", default="", help="Account to come as that is there already.")
@click.option("--system-namespace", default=_SYSTEM, show_default=True, help="Namespace of the account.")
@click.option("--in-cluster", is_flag=True, help="It is the one that the installation runs on.")
@click.option("--cluster-endpoint", type=click.Choice(["", "kubeconfig", "internal"]), default="", help="The address of the kubeconfig, or the one from inside.")  # fmt: skip
@click.option("--aws-cluster-name", default="", help="Come with tokens of AWS for this EKS cluster.")
@click.option("--aws-role-arn", default="", help="Role to take on for that.")
@click.option("--aws-profile", default="", help="Profile to use for that.")
@click.option("--exec-command", default="", help="Come with what this command prints.")
@click.option("--exec-command-args", multiple=True, help="Argument of it.")
@click.option("--exec-command-env", multiple=True, help="Variable of it, as NAME=VALUE.")
@click.option("--exec-command-api-version", default="", help="Version in which it speaks.")
@click.option("--exec-command-install-hint", default="", help="What to tell where it is missing.")
@click.option("--proxy-url", default="", help="Proxy on the way there.")
@click.option("--disable-compression", is_flag=True, help="Ask for answers that are not compressed.")
@click.option("--upsert", is_flag=True, help="Replace it if it is there and differs.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connecting(namespaced=True)
def verb(
    context_name: str, service_account: str, system_namespace: str, upsert: bool, yes: bool, where: Where, **given: Any
) -> Exit:
    """Add the cluster of a context of the kubeconfig.

    An account argocd-manager with every right is made on it, or with --namespace with every right in those, and its token
    kept in a Secret of the installation. Where the context has a client certificate, that is kept instead.
    """
    if given["in_cluster"] and given["cluster_endpoint"]:
        raise click.UsageError("Only one of --in-cluster and --cluster-endpoint can be used.")
    own = bool(given["aws_cluster_name"] or given["exec_command"])
    if not own and not service_account:
        _warn(context_name, yes=yes, all_=not given["namespaces"])

    async def added() -> str:
        from plumbline.cli.clustering.making import described  # noqa: PLC0415 - loads the client
        from plumbline.cli.clustering.opening import roster_at  # noqa: PLC0415 - same
        from plumbline.delivery.joining.authority import Authority  # noqa: PLC0415 - same
        from plumbline.kube.client import Client, Connection  # noqa: PLC0415 - same

        connection, token = Connection.load(where.kubeconfig, context=context_name), ""
        if not own:
            async with Client.connect(connection) as client:
                authority = Authority(client, system_namespace)
                made = authority.token(service_account) if service_account else authority.install(given["namespaces"])
                token = await made
        cluster = described(context_name, connection, token, given)
        async with roster_at(where) as roster:
            await roster.add(cluster, upsert=upsert)
        return cluster.server

    click.echo(f"Cluster '{performed(added())}' added")
    return Exit.DONE


def _warn(context_name: str, *, yes: bool, all_: bool) -> None:
    if yes or not sys.stdout.isatty():
        return
    level = "over all of it" if all_ else "in those namespaces"
    if not click.confirm(f"This makes an account argocd-manager on {context_name}, with every right {level}. Go on?", err=True):  # fmt: skip
        raise click.Abort
