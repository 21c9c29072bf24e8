"""Who asks, for the history of what they ask for."""

from getpass import getuser

from plumbline.cli.connecting import Where


def username(where: Where) -> str:
    """The user of this machine, in the context that was named: a kubeconfig does not say who somebody is."""
    try:
        name = getuser()
    except (OSError, KeyError, ImportError):
        name = "unknown"
    return f"{name} ({where.context})" if where.context else name
