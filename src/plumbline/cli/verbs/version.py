import platform
from importlib.metadata import version

import click

from plumbline.cli.group import common
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("version")
@click.option("--short", is_flag=True, help="The version alone.")
@click.option("--client", is_flag=True, hidden=True, expose_value=False)
@output_option("text", "json", "yaml")
@common
def verb(short: bool, output: str) -> None:
    """Print the version of Plumbline, of Python and of the platform. No server is asked."""
    answer = {"version": version("plumbline")}
    if not short:
        answer |= {
            "python": platform.python_version(),
            "platform": f"{platform.system().lower()}/{platform.machine()}",
        }
    if output != "text":
        print_value(answer, output)
    elif short:
        click.echo(f"plumbline: {answer['version']}")
    else:
        click.echo(f"plumbline {answer['version']} (Python {answer['python']}, {answer['platform']})")
