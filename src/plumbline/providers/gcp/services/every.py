"""Every table there is."""

from typing import Final

from plumbline.providers.gcp.services import compute, pubsub, redis, sql, storage
from plumbline.providers.gcp.tables import Table

TABLES: Final[tuple[Table, ...]] = (*sql.TABLES, *storage.TABLES, *compute.TABLES, *redis.TABLES, *pubsub.TABLES)
