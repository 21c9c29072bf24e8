"""Whose namespace the credentials of a store are in. Pure."""

from collections.abc import Iterator

from plumbline.kinds.externalsecrets.common import CaProvider, SecretKeySelector, ServiceAccountSelector
from plumbline.kinds.externalsecrets.vault import VaultAuth, VaultProvider


def referent(spec: VaultProvider) -> bool:
    """Whether, in a ClusterSecretStore, credentials are read from the namespace of whoever asks: some selector names none."""
    used: list[SecretKeySelector | ServiceAccountSelector | CaProvider | None]
    used = [spec.ca_provider, spec.tls.cert_secret_ref, spec.tls.key_secret_ref]
    used += _credentials(spec.auth) if spec.auth else ()
    return any(each is not None and not each.namespace for each in used)


def _credentials(auth: VaultAuth) -> Iterator[SecretKeySelector | ServiceAccountSelector | None]:
    yield auth.token_secret_ref
    if auth.app_role:
        yield auth.app_role.secret_ref
        yield None if auth.app_role.role_id else auth.app_role.role_ref
    if auth.kubernetes:
        yield auth.kubernetes.service_account_ref or auth.kubernetes.secret_ref
    if auth.ldap:
        yield auth.ldap.secret_ref
    if auth.user_pass:
        yield auth.user_pass.secret_ref
    if auth.jwt:
        asked = auth.jwt.kubernetes_service_account_token
        yield auth.jwt.secret_ref or (asked.service_account_ref if asked else None)
    if auth.cert:
        yield auth.cert.client_cert
        yield auth.cert.secret_ref
