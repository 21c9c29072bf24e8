"""What relying parties read to check service-account tokens without asking this server."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.authentication.keys import TokenKey
from plumbline.base.json import JsonObject

CONFIGURATION_PATH: Final = "/.well-known/openid-configuration"
JWKS_PATH: Final = "/openid/v1/jwks"
JWKS_TYPE: Final = "application/jwk-set+json"
CACHE_CONTROL: Final = "public, max-age=3600"


def openid_configuration(issuer: str, address: str, keys: Sequence[TokenKey]) -> JsonObject:
    """*address* is the host and port under which this server is reached."""
    return {
        "issuer": issuer,
        "jwks_uri": f"https://{address}{JWKS_PATH}",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": sorted({key.algorithm for key in keys}),
    }


def jwks(keys: Sequence[TokenKey]) -> JsonObject:
    return {"keys": [key.jwk() for key in keys]}
