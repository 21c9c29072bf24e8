"""Options of verbs that look at objects of any kind."""

import click

from plumbline.cli.options import Decorated, namespace_option


def place_options(command: Decorated) -> Decorated:
    """Where to look."""
    about = "In all namespaces."
    return namespace_option(click.option("-A", "--all-namespaces", "everywhere", is_flag=True, help=about)(command))
