import click

from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("add-source", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("url", metavar="URL")
@connecting()
def add_source(project: str, url: str, where: Where) -> Exit:
    """Let a project use the repository at URL, or all that a pattern matches; with ! before it, not those."""
    from plumbline.cli.projecting.edits import with_text  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    if not performed(edited(where, project, with_text("sourceRepos", url))):
        click.echo(f"Source repository '{url}' already allowed in project")
    return Exit.DONE


@click.command("remove-source", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("url", metavar="URL")
@connecting()
def remove_source(project: str, url: str, where: Where) -> Exit:
    """No longer let a project use the repository at URL."""
    from plumbline.cli.projecting.edits import without_text  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    if not performed(edited(where, project, without_text("sourceRepos", url))):
        click.echo(f"Source repository '{url}' does not exist in project")
    return Exit.DONE


@click.command("add-source-namespace", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("namespace", metavar="NAMESPACE")
@connecting(namespaced=True)
def add_source_namespace(project: str, namespace: str, where: Where) -> Exit:
    """Let applications of a project be in a namespace beside the installation's."""
    from plumbline.cli.projecting.edits import with_text  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    if not performed(edited(where, project, with_text("sourceNamespaces", namespace))):
        click.echo(f"Source namespace '{namespace}' already allowed in project")
    return Exit.DONE


@click.command("remove-source-namespace", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("namespace", metavar="NAMESPACE")
@connecting(namespaced=True)
def remove_source_namespace(project: str, namespace: str, where: Where) -> Exit:
    """No longer let applications of a project be in a namespace."""
    from plumbline.cli.projecting.edits import without_text  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    if not performed(edited(where, project, without_text("sourceNamespaces", namespace))):
        click.echo(f"Source namespace '{namespace}' does not exist in project or cannot be removed")
    return Exit.DONE


@click.command("add-signature-key", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("key", metavar="KEY-ID")
@connecting()
def add_signature_key(project: str, key: str, where: Where) -> Exit:
    """Have commits be signed with a GnuPG key, or another that is named."""
    from plumbline.cli.projecting.edits import added  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    performed(edited(where, project, added("signatureKeys", {"keyID": key}, "signature key")))
    return Exit.DONE


@click.command("remove-signature-key", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("key", metavar="KEY-ID")
@connecting()
def remove_signature_key(project: str, key: str, where: Where) -> Exit:
    """No longer accept a key; with the last one, commits need no signature."""
    from plumbline.cli.projecting.edits import removed  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.store import edited  # noqa: PLC0415 - same

    edit = removed("signatureKeys", lambda each: each.get("keyID") == key, "signature key")
    performed(edited(where, project, edit))
    return Exit.DONE
