"""The file that remembers logins, in the shape of Argo CD's: contexts, the servers and the users that they join. Pure."""

from typing import Final

import msgspec

from plumbline.base.errors import BadDocument, NotFound
from plumbline.base.json import Json, JsonObject, encode

_HINT: Final = "See which there are with: plumb context; make one with: plumb login SERVER."


class _Entry(msgspec.Struct, frozen=True, rename="kebab", omit_defaults=True):
    pass


class Server(_Entry, frozen=True, rename="kebab", omit_defaults=True):
    server: str = ""
    """HOST[:PORT]; also what contexts call it."""
    insecure: bool = False
    plain_text: bool = False
    core: bool = False
    """Not a server: the Kubernetes API of the kubeconfig."""
    grpc_web: bool = False
    grpc_web_root_path: str = ""
    certificate_authority_data: str = ""
    client_certificate_data: str = ""
    client_certificate_key_data: str = ""

    def __repr__(self) -> str:
        return f"Server({self.server})"

    @property
    def url(self) -> str:
        root = self.grpc_web_root_path.strip("/")
        return f"{'http' if self.plain_text else 'https'}://{self.server}{f'/{root}' if root else ''}"


class User(_Entry, frozen=True, rename="kebab", omit_defaults=True):
    name: str = ""
    auth_token: str = ""
    refresh_token: str = ""

    def __repr__(self) -> str:
        return f"User({self.name})"


class Reference(_Entry, frozen=True, rename="kebab", omit_defaults=True):
    name: str = ""
    server: str = ""
    user: str = ""


class Context(msgspec.Struct, frozen=True):
    name: str
    server: Server
    user: User


class Contexts(msgspec.Struct, frozen=True, rename="kebab"):
    current_context: str = ""
    contexts: tuple[Reference, ...] = ()
    servers: tuple[Server, ...] = ()
    users: tuple[User, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.contexts)

    def named(self, name: str) -> Context:
        """Raises NotFound, also for one whose parts are missing."""
        found = next((each for each in self.contexts if each.name == name), None)
        if found is None:
            raise NotFound(f"there is no context {name!r}", hint=_close(name, self.names))
        server = next((each for each in self.servers if each.server == found.server), None)
        if server is None:
            raise NotFound(
                f"the context {name!r} has no server", why=f"{found.server!r} is not in the file", hint=_HINT
            )
        user = next((each for each in self.users if each.name == found.user), User(name=found.user))
        return Context(name, server, user)

    def joined(self, context: Context) -> "Contexts":
        """With *context*, which is the current one from then on."""
        reference = Reference(context.name, context.server.server, context.user.name)
        return Contexts(
            context.name,
            (*(each for each in self.contexts if each.name != context.name), reference),
            (*(each for each in self.servers if each.server != context.server.server), context.server),
            (*(each for each in self.users if each.name != context.user.name), context.user),
        )

    def switched(self, name: str) -> "Contexts":
        return msgspec.structs.replace(self, current_context=name)

    def without(self, name: str) -> "Contexts":
        """Without a context, and without what only it used."""
        contexts = tuple(each for each in self.contexts if each.name != name)
        servers, users = {each.server for each in contexts}, {each.user for each in contexts}
        return Contexts(
            "" if self.current_context == name else self.current_context,
            contexts,
            tuple(each for each in self.servers if each.server in servers),
            tuple(each for each in self.users if each.name in users),
        )

    def without_token(self, name: str) -> "Contexts":
        user = next((each.user for each in self.contexts if each.name == name), "")
        users = tuple(User(name=each.name) if each.name == user else each for each in self.users)
        return msgspec.structs.replace(self, users=users)

    def after(self, other: "Contexts") -> "Contexts":
        """These, with those of *other* that have names of their own; what is current here is current."""
        here = set(self.names)
        more = tuple(each for each in other.contexts if each.name not in here)
        servers, users = {each.server for each in self.servers}, {each.name for each in self.users}
        return Contexts(
            self.current_context or other.current_context,
            (*self.contexts, *more),
            (*self.servers, *(each for each in other.servers if each.server not in servers)),
            (*self.users, *(each for each in other.users if each.name not in users)),
        )


EMPTY: Final = Contexts()


def read(value: Json, source: str) -> Contexts:
    """Raises BadDocument, which quotes nothing of it: there are tokens in it."""
    try:
        return msgspec.convert({} if value is None else _without_nulls(value), Contexts)
    except msgspec.ValidationError as odd:
        # The message names the field and types, never the value.
        raise BadDocument(f"{source} does not hold contexts", why=str(odd), hint="Log in again.") from None


def written(contexts: Contexts) -> JsonObject:
    found: JsonObject = msgspec.json.decode(encode(contexts))
    return found


def _without_nulls(value: Json) -> Json:
    """Go writes lists without items as null."""
    return {key: each for key, each in value.items() if each is not None} if isinstance(value, dict) else value


def _close(name: str, names: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only where one is mistyped

    close = get_close_matches(name, names, 1)
    return f"Did you mean {close[0]}?" if close else _HINT
