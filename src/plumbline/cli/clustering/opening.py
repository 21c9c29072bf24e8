"""Who is asked about clusters: a server, or the Secrets that it would look at."""

from contextlib import AbstractAsyncContextManager

from plumbline.cli.clustering.roster import Roster
from plumbline.cli.clustering.served import Served
from plumbline.cli.clustering.store import Store
from plumbline.cli.connecting import Where


def roster_at(where: Where) -> AbstractAsyncContextManager[Roster]:
    return where.answered(lambda client: Store(client, where.namespace), Served)
