"""From a context of the kubeconfig to a cluster, as its Secret describes it."""

import base64
from typing import Any, Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import JsonObject
from plumbline.delivery.joining.secrets import Described, labelled, without_empty
from plumbline.delivery.settings.clusters import IN_CLUSTER_SERVER
from plumbline.kube.client.connection import Connection

_INTERNAL: Final = "internal"


def described(name: str, connection: Connection, token: str, given: dict[str, Any]) -> Described:
    """*token* is that of an account on it; where the kubeconfig has a client certificate, that is used."""
    certificate = _certificate(connection)
    inside = given["in_cluster"] or given["cluster_endpoint"] == _INTERNAL
    config = without_empty(
        {
            "bearerToken": "" if certificate else token,
            "tlsClientConfig": _tls(connection, certificate),
            "awsAuthConfig": _aws(given),
            "execProviderConfig": _exec(given),
            "proxyUrl": given["proxy_url"],
            "disableCompression": given["disable_compression"],
        }
    )
    return Described(
        name=given["name"] or name,
        server=IN_CLUSTER_SERVER if inside else connection.server,
        config={"tlsClientConfig": {"insecure": False}, **config},
        namespaces=given["namespaces"],
        cluster_resources=given["cluster_resources"],
        project=given["project"],
        shard=given["shard"] if given["shard"] >= 0 else None,
        labels=labelled(given["labels"]),
        annotations=labelled(given["annotations"]),
    )


def _tls(connection: Connection, certificate: tuple[bytes, bytes] | None) -> JsonObject:
    trust = connection.trust
    chain, key = certificate or (b"", b"")
    texts = {"serverName": trust.server_name, "caData": _coded(trust.authorities), "certData": _coded(chain), "keyData": _coded(key)}  # fmt: skip
    return {"insecure": trust.insecure, **{name: value for name, value in texts.items() if value}}


def _certificate(connection: Connection) -> tuple[bytes, bytes] | None:
    user = connection.user
    if user.certificate is not None:
        return user.certificate.chain, user.certificate.key.reveal()
    if user.certificate_file is not None and user.key_file is not None:
        try:
            return user.certificate_file.read_bytes(), user.key_file.read_bytes()
        except OSError as failed:
            raise InvalidInput("the client certificate cannot be read", why=failed.strerror or str(failed)) from failed
    return None


def _aws(given: dict[str, Any]) -> JsonObject:
    if not given["aws_cluster_name"]:
        return {}
    return without_empty(
        {
            "clusterName": given["aws_cluster_name"],
            "roleARN": given["aws_role_arn"],
            "profile": given["aws_profile"],
        }
    )


def _exec(given: dict[str, Any]) -> JsonObject:
    if not given["exec_command"]:
        return {}
    return without_empty(
        {
            "command": given["exec_command"],
            "args": list(given["exec_command_args"]),
            "env": labelled(given["exec_command_env"]),
            "apiVersion": given["exec_command_api_version"],
            "installHint": given["exec_command_install_hint"],
        }
    )


def _coded(content: bytes) -> str:
    return base64.b64encode(content).decode()
