"""kubeconfig files as kubectl reads them: several merged, one context chosen.

The wire form and the merging are here; `loading` makes a `Connection` of the result. Errors name the file and the field
and never a value, which may be secret.
"""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from plumbline.base.documents import load_documents
from plumbline.base.errors import BadDocument, BadKubeconfig, LimitExceeded
from plumbline.base.json import Json
from plumbline.base.limits import SETTINGS
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client.parts import Origin


class _Wire(msgspec.Struct, kw_only=True, rename="kebab"):
    """Unknown fields are left alone, as kubectl does: other tools keep theirs in the same file."""


class Pem(bytes):
    """Base64 on the wire."""


class SecretPem(Plaintext):
    """Base64 on the wire."""

    __slots__ = ()


class Extension(_Wire):
    name: str = ""
    extension: Json = None


class Cluster(_Wire):
    server: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    certificate_authority: str = ""
    certificate_authority_data: Pem = Pem()
    proxy_url: Plaintext = Plaintext("")
    disable_compression: bool = False
    extensions: list[Extension] | None = None


class EnvironmentVariable(_Wire):
    name: str
    value: Plaintext


class Exec(_Wire, rename="camel"):
    command: str = ""
    args: list[str] | None = None
    env: list[EnvironmentVariable] | None = None
    api_version: str = ""
    install_hint: str = ""
    provide_cluster_info: bool = False
    interactive_mode: str = ""


class AuthProvider(_Wire):
    name: str = ""


class UserEntry(_Wire):
    client_certificate: str = ""
    client_certificate_data: Pem = Pem()
    client_key: str = ""
    client_key_data: SecretPem = SecretPem("")
    token: Plaintext = Plaintext("")
    token_file: str = msgspec.field(default="", name="tokenFile")
    username: str = ""
    password: Plaintext = Plaintext("")
    impersonate: str = msgspec.field(default="", name="as")
    as_uid: str = ""
    as_groups: list[str] | None = None
    as_user_extra: dict[str, list[str]] | None = None
    auth_provider: AuthProvider | None = None
    exec: Exec | None = None


class Context(_Wire):
    cluster: str = ""
    user: str = ""
    namespace: str = ""


class _NamedCluster(_Wire):
    name: str
    cluster: Cluster | None = None


class _NamedUser(_Wire):
    name: str
    user: UserEntry | None = None


class _NamedContext(_Wire):
    name: str
    context: Context | None = None


class _File(_Wire):
    current_context: str = ""
    clusters: list[_NamedCluster] | None = None
    users: list[_NamedUser] | None = None
    contexts: list[_NamedContext] | None = None


@dataclass(slots=True)
class Kubeconfig:
    """All files as one. For every name, the first file that has it wins, whole."""

    origins: list[Origin] = field(default_factory=list)
    current_context: str = ""
    clusters: dict[str, tuple[Cluster, Origin]] = field(default_factory=dict)
    users: dict[str, tuple[UserEntry, Origin]] = field(default_factory=dict)
    contexts: dict[str, tuple[Context, Origin]] = field(default_factory=dict)


def merged(texts: Iterable[tuple[bytes, Origin]]) -> Kubeconfig:
    made = Kubeconfig()
    for text, origin in texts:
        file = _parsed(text, origin)
        made.origins.append(origin)
        made.current_context = made.current_context or file.current_context
        for cluster in file.clusters or ():
            made.clusters.setdefault(cluster.name, (cluster.cluster or Cluster(), origin))
        for user in file.users or ():
            made.users.setdefault(user.name, (user.user or UserEntry(), origin))
        for context in file.contexts or ():
            made.contexts.setdefault(context.name, (context.context or Context(), origin))
    return made


def _parsed(text: bytes, origin: Origin) -> _File:
    what = f"The kubeconfig {origin.name} cannot be read"
    try:
        documents = load_documents(text, source=origin.name, limits=SETTINGS)
    except (BadDocument, LimitExceeded) as broken:
        raise BadKubeconfig(what, why=str(broken), hint=broken.hint) from broken
    if len(documents) > 1:
        raise BadKubeconfig(what, why="it has several documents; list several files in KUBECONFIG instead")
    content = _without_nulls(documents[0].value) if documents else {}
    try:
        return msgspec.convert(content, _File, dec_hook=_decoded)
    except msgspec.ValidationError as wrong:
        # Names the field and the types; values are never quoted.
        raise BadKubeconfig(what, why=str(wrong)) from None


def _without_nulls(value: Json) -> Json:
    """An empty field is an absent one, as in Go."""
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


def _decoded(kind: type, value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError("Expected `str`")  # noqa: TRY004 - what msgspec turns into its own error, with the field's name
    if kind is Plaintext:
        return Plaintext(value)
    try:
        return kind(base64.b64decode("".join(value.split()), validate=True))
    except binascii.Error:
        raise ValueError("Expected base64") from None
