"""The edge to a Kubernetes API: raw bytes in and out, nothing decoded that nobody looks at.

    async with Client.connect(Connection.load()) as client:
        page = await client.list(Target(CONFIGMAPS, "default"))

Importing it costs little: the HTTP stack is loaded when the first connection is made.
"""

from plumbline.kube.client.client import Client
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.following import Interrupted, Synced
from plumbline.kube.client.parts import Trust
from plumbline.kube.client.targets import Selection, Target, Writing
from plumbline.kube.client.transport import Request, Response, Transport
from plumbline.kube.client.watching import WatchEvent

__all__ = [
    "Client",
    "Connection",
    "Interrupted",
    "Request",
    "Response",
    "Selection",
    "Synced",
    "Target",
    "Transport",
    "Trust",
    "WatchEvent",
    "Writing",
]
