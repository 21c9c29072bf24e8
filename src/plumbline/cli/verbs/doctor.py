import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from plumbline.base.clock import SystemClock
from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.keys.options import key_namespace_option
from plumbline.cli.options import cluster_options, output_option
from plumbline.cli.output import print_value
from plumbline.cli.terminal import BAD, GOOD, WARNING, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plumbline.cli.checks.findings import Finding

_SIGNS: Final = {"ok": GOOD, "warning": WARNING, "failed": BAD}


@click.command("doctor")
@cluster_options
@key_namespace_option
@output_option("text", "json", "yaml")
@common
def verb(kubeconfig: Path | None, context: str, key_namespace: str, output: str) -> Exit:
    """Check this machine: tools, sandbox, kubeconfig, sealing keys, ports, disk, clock.

    Every line says what was found and, where that is a problem, how to repair it. Exits 1 if a check failed; what is
    merely missing or will matter later is a warning and does not count.
    """
    from plumbline.cli.checks.all import findings  # noqa: PLC0415 - loads the client, which --help must not
    from plumbline.cli.checks.findings import passed  # noqa: PLC0415 - same

    found = performed(findings(SystemClock(), kubeconfig, context, key_namespace))
    if output != "text":
        print_value({"passed": passed(found), "checks": [each.as_json() for each in found]}, output)
    else:
        click.echo("\n".join(lines(found)))
    return Exit.DONE if passed(found) else Exit.NO


def lines(found: "Sequence[Finding]") -> list[str]:
    widest = max(len(each.name) for each in found)
    shown: list[str] = []
    for each in found:
        sign = _SIGNS[each.state].shown(sys.stdout)
        shown.append(f"{sign} {each.state:<7}  {plain(each.name):<{widest}}  {plain(each.says)}")
        if each.fix:
            shown.append(f"{'':<{widest + 13}}{plain(each.fix)}")
    return shown
