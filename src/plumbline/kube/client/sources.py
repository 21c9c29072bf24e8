"""Which credentials a connection uses."""

from plumbline.base.clock import Clock
from plumbline.kube.client.connection import Connection
from plumbline.kube.client.credentials import Credentials, Fixed, FromFiles


def credentials_of(connection: Connection, clock: Clock) -> Credentials:
    """Where the identity for *connection* comes from."""
    user = connection.user
    if user.exec_plugin is not None:
        from plumbline.kube.client.execplugin import FromPlugin  # noqa: PLC0415 - what runs processes is seldom needed

        return FromPlugin(user.exec_plugin, connection, clock)
    if user.eks is not None:
        from plumbline.kube.client.awssigner import signer  # noqa: PLC0415 - as seldom
        from plumbline.kube.client.eks import FromEks  # noqa: PLC0415 - same

        return FromEks(user.eks, connection, clock, signer)
    if user.token_file or user.certificate_file or user.key_file:
        return FromFiles(user, clock, connection.source)
    return Fixed(user)
