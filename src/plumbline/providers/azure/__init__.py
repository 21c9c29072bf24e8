"""Azure: tables of kinds, and one engine over the uniform PUT, GET, PATCH and DELETE of its Resource Manager.

connections = Connections(clock)
catalogue = Catalogue(kinds(connections))
"""

from plumbline.providers.azure.accounts import Connections
from plumbline.providers.azure.provider import PROVIDER, kinds

__all__ = ["PROVIDER", "Connections", "kinds"]
