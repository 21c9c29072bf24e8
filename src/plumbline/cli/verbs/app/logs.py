import click

from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags


@click.command("logs", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@click.option("--group", default="", help="Only pods behind objects of this group.")
@click.option("--kind", default="", help="Only pods behind objects of this kind.")
@click.option("--name", "resource", default="", help="Only pods behind the object of this name.")
@click.option("--namespace", default="", help="Only pods in this namespace.")
@click.option("-c", "--container", default="", help="Container; the only one, or the default one, if not given.")
@click.option("-f", "--follow", is_flag=True, help="Go on as more is printed.")
@click.option("-p", "--previous", is_flag=True, help="Of the container before it was restarted.")
@click.option("--tail", type=click.IntRange(0), default=0, help="Only so many lines from the end; 0 for all.")
@click.option("--since-seconds", type=click.IntRange(0), default=0, help="Only what is not older; 0 for all.")
@click.option("--until-time", default="", help="Only what is older than this time, such as 2026-01-31T12:00:00Z.")
@click.option("--filter", "wanted", default="", help="Only lines with this text; with ! before it, only others.")
@click.option("-m", "--match-case", is_flag=True, help="Whether case counts in that.")
@connecting(namespaced=True)
def verb(
    name: str,
    app_namespace: str,
    group: str,
    kind: str,
    resource: str,
    namespace: str,
    container: str,
    follow: bool,
    previous: bool,
    tail: int,
    since_seconds: int,
    until_time: str,
    wanted: str,
    match_case: bool,
    where: Where,
) -> Exit:
    """Print what the pods of an application print, all of them together."""
    from plumbline.cli.applications.podlogs import print_logs  # noqa: PLC0415 - same
    from plumbline.cli.applications.seams import Chosen, Reading  # noqa: PLC0415 - loads kinds
    from plumbline.delivery.podlogs import Lines  # noqa: PLC0415 - same

    chosen = Chosen(group, kind, resource, namespace)
    parameters = {
        "container": container,
        "follow": "true" if follow else "",
        "previous": "true" if previous else "",
        "tailLines": str(tail) if tail else "",
        "sinceSeconds": str(since_seconds) if since_seconds else "",
    }
    Lines.parse(wanted, until_time, match_case=match_case)  # what cannot be read is refused before anybody is asked
    reading = Reading(chosen, parameters, wanted, until_time, match_case)
    performed(print_logs(where, name, app_namespace, reading))
    return Exit.DONE
