import click

from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags
from plumbline.cli.group import common


@click.command("bcrypt", cls=GoFlags)
@click.option("--password", default="", help="What to hash; asked for if not given.")
@common
def verb(password: str) -> Exit:
    """Print the bcrypt hash of a password, as argocd-secret may hold it. Passwords that are set here are argon2id."""
    import bcrypt  # noqa: PLC0415 - only who asks for it waits for it

    given = (password or click.prompt("Password", hide_input=True, err=True)).encode()
    if len(given) > 72:  # noqa: PLR2004 - what bcrypt looks at
        raise click.UsageError("bcrypt looks at no more than 72 bytes of a password, and this one has more.")
    click.echo(bcrypt.hashpw(given, bcrypt.gensalt(10, b"2a")).decode())
    return Exit.DONE
