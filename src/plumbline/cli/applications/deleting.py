"""Deleting an Application: what becomes of the objects that it delivers is said by its finalizers."""

import click

from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import Applications
from plumbline.delivery.asking.deletion import finalizers, unconfirmed


async def delete(apps: Applications, name: AppName, *, cascade: bool, policy: str) -> None:
    """With *cascade*, what it delivers goes first, by *policy*; without, all of it stays."""
    app = await apps.get(name)
    change = finalizers(app, cascade=cascade, policy=policy)
    if change is not None and not app["metadata"].get("deletionTimestamp"):
        await apps.patch(name, {"metadata": {"finalizers": change}})
    await apps.client.delete(name.target)
    if cascade and (asking := unconfirmed(app)):
        click.echo(
            f"{name} goes once you agree to lose {', '.join(asking)}: plumb app confirm-deletion {name}", err=True
        )
