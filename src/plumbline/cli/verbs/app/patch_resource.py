from typing import TYPE_CHECKING, Final

import click

from plumbline.cli.applications.options import app_namespace_option
from plumbline.cli.asynchronous import performed
from plumbline.cli.connecting import Where, connecting
from plumbline.cli.exits import Exit
from plumbline.cli.goflags import GoFlags

if TYPE_CHECKING:
    from plumbline.delivery.tree import Node

_KINDS: Final = (
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
)


@click.command("patch-resource", cls=GoFlags)
@click.argument("name", metavar="APP")
@app_namespace_option
@click.option("--patch", "body", required=True, help="The patch, as JSON.")
@click.option("--patch-type", type=click.Choice(_KINDS), default=_KINDS[0], show_default=True, help="Kind of patch.")  # fmt: skip
@click.option("--kind", required=True, help="Objects of this kind.")
@click.option("--group", default=None, help="Only objects of this group.")
@click.option("--namespace", default="", help="Only objects in this namespace.")
@click.option("--resource-name", default="", help="Only the object of this name.")
@click.option("--all", "all_", is_flag=True, help="Patch all that match.")
@click.option("--project", default="", hidden=True, expose_value=False)
@connecting(namespaced=True)
def verb(
    name: str,
    app_namespace: str,
    body: str,
    patch_type: str,
    kind: str,
    group: str | None,
    namespace: str,
    resource_name: str,
    all_: bool,
    where: Where,
) -> Exit:
    """Change the object of an application that matches, or with --all every one that does. Git does not know of it."""

    async def patched() -> None:
        from plumbline.cli.applications.objects import Filters, picked  # noqa: PLC0415 - same
        from plumbline.cli.applications.reaching import applications  # noqa: PLC0415 - same
        from plumbline.cli.applications.seams import Change  # noqa: PLC0415 - loads kinds, which --help must not

        async with applications(where) as apps:
            filters = Filters(group, kind, namespace, resource_name)
            app = await apps.get(apps.named(name, app_namespace))
            for node in await picked(apps, app, filters, several=all_):
                await apps.behind.objects.patch(app, node, Change(_read(body, node), patch_type))
                click.echo(f"Resource '{node.shown}' patched")

    performed(patched())
    return Exit.DONE


def _read(body: str, node: "Node") -> bytes:
    from plumbline.base.documents import load_json  # noqa: PLC0415 - loads the reader, which --help must not
    from plumbline.base.errors import InvalidInput  # noqa: PLC0415 - same
    from plumbline.base.json import encode  # noqa: PLC0415 - same
    from plumbline.base.limits import REQUESTS  # noqa: PLC0415 - same

    try:
        return encode(load_json(body, limits=REQUESTS, source="the patch").value)
    except InvalidInput as fault:
        named = f"{node.kind} {node.namespace}/{node.name}"
        raise InvalidInput(f"failed to patch {named}", why=str(fault), hint=fault.hint) from None
