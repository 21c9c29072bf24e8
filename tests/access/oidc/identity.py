"""An identity provider on loopback: as small as OpenID Connect allows, and as wrong as a test wants it."""

import base64
import contextlib
import hashlib
from urllib.parse import parse_qs, urlencode, urlsplit

from aiohttp import web
from joserfc import jws
from joserfc.jwk import RSAKey

from plumbline.base.json import decode, encode

CLIENT, HIDDEN = "us", "s3cr:t/%"
CALLBACK = "http://localhost/auth/callback"
_keys = {}


def key_named(name):
    """Keys take long to make, and are the same for all tests."""
    if name not in _keys:
        _keys[name] = RSAKey.generate_key(2048, {"kid": name, "use": "sig"})
    return _keys[name]


class Identity:
    def __init__(self, clock):
        self.clock = clock
        self.url = ""
        self.key = key_named("first")
        self.published = [self.key]
        self.about = {}
        """What is said otherwise in the discovery document."""
        self.claims = {"sub": "u-1", "email": "eve@example.com", "groups": ["devs", "ops"]}
        self.userinfo = {"sub": "u-1", "groups": ["from-userinfo"]}
        self.head = {}
        self.answer = {}
        """What the token endpoint says beside, or instead."""
        self.status = 200
        self.asked = []
        self.codes = {}
        self.authenticated = ""

    async def discovery(self, request):
        self.asked.append("discovery")
        said = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "id_token_signing_alg_values_supported": ["RS256", "none", "HS256"],
        }
        return web.Response(body=encode(said | self.about), content_type="application/json")

    async def keys(self, request):
        self.asked.append("keys")
        return web.Response(body=encode({"keys": [key.as_dict(private=False) for key in self.published]}))

    async def token(self, request):
        self.asked.append("token")
        form = await request.post()
        known = self.codes.pop(form["code"], None)
        if known is None:
            return web.Response(status=400, body=encode({"error": "invalid_grant"}))
        challenge = (
            base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        )
        assert challenge == known["code_challenge"]
        assert form["redirect_uri"] == known["redirect_uri"]
        self.authenticated = request.headers.get("Authorization", "") or form.get("client_secret", "")
        made = {"id_token": self.signed(nonce=known["nonce"]), "access_token": "opens-userinfo", "token_type": "Bearer"}
        return web.Response(status=self.status, body=encode({**made, **self.answer}))

    async def info(self, request):
        self.asked.append("userinfo")
        assert request.headers["Authorization"] == "Bearer opens-userinfo"
        return web.Response(body=encode(self.userinfo))

    def authorize(self, url):
        """What somebody's browser does there: they log in, and are sent back with a code. Returns its query."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert (asked["response_type"], asked["client_id"], asked["code_challenge_method"]) == ("code", CLIENT, "S256")
        code = f"code-{len(self.asked)}-{len(self.codes)}"
        self.codes[code] = asked
        return urlencode({"code": code, "state": asked["state"]})

    def signed(self, key=None, **claims):
        now_s = int(self.clock.now().timestamp())
        said = {
            "iss": self.url,
            "aud": CLIENT,
            "iat": now_s,
            "exp": now_s + 3600,
            "jti": "t-1",
            **self.claims,
            **claims,
        }
        head = {"alg": "RS256", "kid": (key or self.key).kid, **self.head}
        return jws.serialize_compact(
            head, encode({k: v for k, v in said.items() if v is not None}), key or self.key, ["RS256"]
        )


@contextlib.asynccontextmanager
async def identity(clock):
    made = Identity(clock)
    app = web.Application()
    app.add_routes([
        web.get("/.well-known/openid-configuration", made.discovery),
        web.get("/keys", made.keys),
        web.post("/token", made.token),
        web.get("/userinfo", made.info),
    ])  # fmt: skip
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield made
    finally:
        await runner.cleanup()


def claims_of(token):
    return decode(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
