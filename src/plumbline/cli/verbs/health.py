import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from plumbline.base.json import JsonObject
from plumbline.cli.asynchronous import performed
from plumbline.cli.exits import Exit
from plumbline.cli.group import common
from plumbline.cli.options import cluster_options, file_option, namespace_option, output_option
from plumbline.cli.output import identity, print_value
from plumbline.cli.terminal import BAD, BUSY, GOOD, WARNING, Sign, Styled, table

if TYPE_CHECKING:
    from plumbline.kube.health import Health

_SIGNS: Final[dict[str, Sign]] = {
    "Healthy": GOOD,
    "Suspended": BUSY,
    "Progressing": BUSY,
    "Missing": WARNING,
    "Degraded": BAD,
    "Unknown": WARNING,
}


@click.command("health")
@click.argument("names", nargs=-1, metavar="[KIND/NAME]...")
@file_option(required=False)
@namespace_option
@cluster_options
@output_option("table", "json", "yaml")
@common
def verb(
    names: tuple[str, ...],
    filenames: tuple[Path, ...],
    namespace: str,
    kubeconfig: Path | None,
    context: str,
    output: str,
) -> Exit:
    """Say whether objects are healthy, from files or a cluster.

    With -f the objects are taken from files as they are, status and all, and no cluster is asked; `kubectl get -o yaml`
    writes such files. KIND/NAME is looked up in the cluster. Exits 1 if anything is Degraded.
    """
    if not names and not filenames:
        raise click.UsageError("Name objects as KIND/NAME, or files with -f.", click.get_current_context())
    objects = [*_from_files(filenames), *_from_cluster(names, namespace, kubeconfig, context)]
    answers = _assessed(objects)
    if output != "table":
        print_value({"items": [_item(obj, health) for obj, health in answers]}, output)
    else:
        click.echo(_drawn(answers))
    return Exit.NO if any(health and health.status == "Degraded" for _, health in answers) else Exit.DONE


def _from_files(filenames: tuple[Path, ...]) -> list[JsonObject]:
    if not filenames:
        return []
    from plumbline.cli.inputs import objects_in  # noqa: PLC0415 - loads YAML, which --help must not

    return [given.obj for given in objects_in(filenames)]


def _from_cluster(names: tuple[str, ...], namespace: str, kubeconfig: Path | None, context: str) -> list[JsonObject]:
    if not names:
        return []
    from plumbline.cli.clusters import opened  # noqa: PLC0415 - loads the client, which --help must not

    async def fetched() -> list[JsonObject]:
        async with opened(kubeconfig, context, namespace) as cluster:
            return await cluster.named(names)

    return performed(fetched())


def _assessed(objects: Sequence[JsonObject]) -> "list[tuple[JsonObject, Health | None]]":
    from plumbline.kube.health import assess  # noqa: PLC0415 - hundreds of rules, which --help must not load

    return [(obj, assess(obj)) for obj in objects]


def _item(obj: JsonObject, health: "Health | None") -> JsonObject:
    said = health and {"status": health.status, "message": health.message, "basis": health.basis}
    return identity(obj) | {"health": said}


def _drawn(answers: "Sequence[tuple[JsonObject, Health | None]]") -> str:
    rows = []
    for obj, health in answers:
        who = identity(obj)
        state, message = (_state(health), health.message) if health else ("-", "this kind has no health")
        rows.append([str(who["kind"]), str(who.get("namespace", "")), str(who["name"]), state, message])
    return table(["KIND", "NAMESPACE", "NAME", "HEALTH", "MESSAGE"], rows)


def _state(health: "Health") -> Styled:
    sign = _SIGNS[health.status]
    return Styled(f"{sign.text(sys.stdout)} {health.status}", sign.colour)
