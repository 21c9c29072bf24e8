"""Which server is meant: the one that the command line, the environment or the current context names, or none."""

import base64
from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.cli.server.asked import Asked
from plumbline.cli.server.contexts import Context, Server, User
from plumbline.cli.server.files import Files

_SCHEMES = {"": False, "https": False, "http": True}


def chosen(asked: Asked, variables: Mapping[str, str]) -> Context | None:
    """The context to use; None where the Kubernetes API is to be asked itself."""
    if asked.core:
        return None
    files = Files.found(asked.config, variables)
    token = asked.token or variables.get("PLUMB_AUTH_TOKEN", "") or variables.get("ARGOCD_AUTH_TOKEN", "")
    address = asked.server or variables.get("PLUMB_SERVER", "") or variables.get("ARGOCD_SERVER", "")
    found = _remembered(files, asked.context, address)
    if found is None:
        return None
    server = flagged(found.server, asked)
    user = User(name=found.user.name, auth_token=token) if token else found.user
    return None if server.core else Context(found.name, server, user)


def _remembered(files: Files, name: str, address: str) -> Context | None:
    known = files.contexts()
    if name:
        return known.named(name)
    if not address:
        return known.named(known.current_context) if known.current_context else None
    server = addressed(address)
    # Whoever names the server that they are logged in to means that login.
    names = (known.current_context, *known.names)
    same = (known.named(each) for each in names if each)
    return next((each for each in same if each.server.server == server.server), Context(server.server, server, User()))


def addressed(text: str) -> Server:
    """A server by what people type: HOST, HOST:PORT, or a URL, perhaps with a path. Raises InvalidInput."""
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        fits = parts.scheme in _SCHEMES and parts.hostname and not parts.username and not parts.query
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError:
        fits = None
    if not fits:
        raise InvalidInput(
            "that is not the address of a server",
            why="it should be HOST, HOST:PORT or an http or https address, without a name in it",
            hint="Such as: plumb login plumb.example.org.",
        )
    return Server(server=parts.netloc, plain_text=_SCHEMES[parts.scheme], grpc_web_root_path=parts.path.strip("/"))


def flagged(server: Server, asked: Asked) -> Server:
    """*server*, in the way that flags say to speak to it."""
    authorities = base64.b64encode(asked.authorities.read_bytes()).decode() if asked.authorities else ""
    return msgspec.structs.replace(
        server,
        insecure=server.insecure or asked.insecure,
        plain_text=server.plain_text or asked.plaintext,
        grpc_web_root_path=asked.root_path or server.grpc_web_root_path,
        certificate_authority_data=authorities or server.certificate_authority_data,
    )
