"""What this server serves, as clients ask for it: groups, versions and resources, one by one or all at once."""

from plumbline.apiserver.discovery.documents import Documents
from plumbline.apiserver.discovery.reply import DiscoveryReply
from plumbline.apiserver.discovery.version import ServerVersion

__all__ = ["DiscoveryReply", "Documents", "ServerVersion"]
