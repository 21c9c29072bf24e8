import click

from plumbline.cli.asking import sure
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoDuration, GoFlags


@click.command("create-token", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("role", metavar="ROLE-NAME")
@click.option("-e", "--expires-in", "life", type=GoDuration(), default="0s", help="How long it is good for, such as 24h; without end if not given.")  # fmt: skip
@click.option("-i", "--id", "token_id", default="", help="What to call it; something random if not given.")
@click.option("-t", "--token-only", is_flag=True, help="Print the token and nothing else.")
@connecting()
def create_token(project: str, role: str, life: str, token_id: str, token_only: bool, where: Where) -> Exit:
    """Make a token that may do what a role may, and print it. It is not shown again."""
    from plumbline.cli.projecting.roles import moment  # noqa: PLC0415 - loads kinds, which --help must not
    from plumbline.cli.projecting.tokens import created  # noqa: PLC0415 - same
    from plumbline.kinds.duration import Duration  # noqa: PLC0415 - same

    made = performed(created(where, (project, role), token_id, int(Duration.parse(life).seconds)))
    if token_only:
        click.echo(made.token)
        return Exit.DONE
    click.echo(f"Create token succeeded for proj:{project}:{role}.")
    click.echo(f"  ID: {made.id}\n  Issued At: {moment(made.issued_s)}\n  Expires At: {moment(made.ends_s, 'Never')}")
    click.echo(f"  Token: {made.token}")
    return Exit.DONE


@click.command("list-tokens", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("role", metavar="ROLE-NAME")
@click.option("-u", "--unixtime", is_flag=True, help="Times as seconds, which delete-token takes.")
@connecting()
def list_tokens(project: str, role: str, unixtime: bool, where: Where) -> Exit:
    """List the tokens of a role: when they were made and when they end, never themselves."""
    from plumbline.cli.projecting.roles import named, token_table, tokens  # noqa: PLC0415 - loads kinds
    from plumbline.cli.projecting.store import shown  # noqa: PLC0415 - same

    found = performed(shown(where, project))
    known = tokens(found, named(found.get("spec") or {}, role))
    click.echo(token_table(known, unix=unixtime) if known else f"No tokens for {project}.{role}")
    return Exit.DONE


@click.command("delete-token", cls=GoFlags)
@click.argument("project", metavar="PROJECT")
@click.argument("role", metavar="ROLE-NAME")
@click.argument("issued", metavar="ISSUED-AT", type=int)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@connecting()
def delete_token(project: str, role: str, issued: int, yes: bool, where: Where) -> Exit:
    """End a token, by when it was made, in seconds as `list-tokens --unixtime` says it."""
    sure(f"End the token {issued} of {project}/{role}?", yes=yes)
    from plumbline.cli.projecting.tokens import deleted  # noqa: PLC0415 - loads kinds, which --help must not

    performed(deleted(where, (project, role), issued))
    return Exit.DONE
