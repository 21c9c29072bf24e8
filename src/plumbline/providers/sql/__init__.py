"""PostgreSQL databases, roles and what they may do, as managed resources.

servers = Servers()
catalogue = Catalogue(kinds(servers))
"""

from plumbline.providers.sql.kinds import kinds
from plumbline.providers.sql.local import LocalServer, local_postgres
from plumbline.providers.sql.servers import Servers

__all__ = ["LocalServer", "Servers", "kinds", "local_postgres"]
