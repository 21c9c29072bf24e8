"""Who is asked about repositories and credentials: a server, or the Secrets that it would look at."""

from contextlib import AbstractAsyncContextManager

from plumbline.cli.connecting import Where
from plumbline.cli.repositories.served import Served
from plumbline.cli.repositories.shelf import Shelf
from plumbline.cli.repositories.store import Secrets
from plumbline.source.secrets import Kind


def shelf_at(where: Where, kind: Kind) -> AbstractAsyncContextManager[Shelf]:
    """*kind* is that of repositories, or of templates for their credentials."""
    return where.answered(lambda client: Secrets(client, where.namespace, kind), lambda api: Served(api, kind))
