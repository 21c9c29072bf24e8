"""Who is asked about repositories and credentials: a server, or the Secrets that it would look at."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from plumbline.cli.connecting import Where
from plumbline.cli.repositories.served import Served
from plumbline.cli.repositories.shelf import Shelf
from plumbline.cli.repositories.store import Secrets
from plumbline.source.secrets import Kind


def shelf_at(where: Where, kind: Kind, data: Path | None = None) -> AbstractAsyncContextManager[Shelf]:
    """*kind* is that of repositories, or of templates for their credentials; *data* the folder of this user's installation."""
    return where.answered(lambda client: Secrets(client, where.namespace, kind, data), lambda api: Served(api, kind))
