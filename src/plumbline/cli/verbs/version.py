import platform
from importlib.metadata import version

import click

from plumbline.cli.group import common
from plumbline.cli.options import output_option
from plumbline.cli.output import print_value


@click.command("version")
@output_option("text", "json", "yaml")
@common
def verb(output: str) -> None:
    """Print the version of Plumbline, of Python and of the platform."""
    answer = {
        "version": version("plumbline"),
        "python": platform.python_version(),
        "platform": f"{platform.system().lower()}/{platform.machine()}",
    }
    if output != "text":
        print_value(answer, output)
    else:
        click.echo(f"plumbline {answer['version']} (Python {answer['python']}, {answer['platform']})")
