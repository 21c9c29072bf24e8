"""Google Cloud: tables over Google's discovery documents, and one REST engine that reads them.

connections = Connections(clock)
catalogue = Catalogue(kinds(connections))
"""

from plumbline.providers.gcp.accounts import Connections
from plumbline.providers.gcp.provider import PROVIDER, kinds

__all__ = ["PROVIDER", "Connections", "kinds"]
