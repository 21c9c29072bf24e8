"""What relying parties read to check service-account tokens."""

from plumbline.access.identity import Identity
from plumbline.apiserver.authentication.openid import (
    CACHE_CONTROL,
    CONFIGURATION_PATH,
    JWKS_PATH,
    JWKS_TYPE,
    jwks,
    openid_configuration,
)
from plumbline.apiserver.calls import JSON, Answer, Call
from plumbline.apiserver.requests.routes import Route
from plumbline.apiserver.security import ISSUER, Security
from plumbline.base.json import encode


class OpenIdRoom:
    def __init__(self, security: Security) -> None:
        self._keys = security.keys

    async def answer(self, _route: Route, call: Call, _identity: Identity) -> Answer | None:
        headers = (("Cache-Control", CACHE_CONTROL),)
        if call.path == CONFIGURATION_PATH:
            document = openid_configuration(ISSUER, call.headers.get("host", ""), self._keys)
            return Answer(200, encode(document), content_type=JSON, headers=headers)
        if call.path == JWKS_PATH:
            return Answer(200, encode(jwks(self._keys)), content_type=JWKS_TYPE, headers=headers)
        return None
