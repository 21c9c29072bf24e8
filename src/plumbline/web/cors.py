"""Pages of other origins that may use the API. None, unless somebody has listed them.

They use it with a token of their own: cookies stay with our pages, and no answer says otherwise.
"""

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from plumbline.base.errors import InvalidInput
from plumbline.web.requests import Request, Response

_BENEATH: Final = "/api/"
_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE"
_TAKEN: Final = "Authorization, Content-Type, Last-Event-ID"
_SHOWN: Final = "ETag, Retry-After"
_REMEMBERED_S: Final = "600"
_VARY: Final = ("Vary", "Origin")


class Cors:
    def __init__(self, origins: Iterable[str] = ()) -> None:
        self._origins = frozenset(_checked(origin) for origin in origins)

    def trusts(self, origin: str) -> bool:
        return origin in self._origins

    def headers(self, request: Request) -> tuple[tuple[str, str], ...]:
        """What an answer says to a page of another origin. For a page that is not listed it says nothing."""
        if not self._origins or not request.path.startswith(_BENEATH):
            return ()
        origin = request.header("origin")
        if not self.trusts(origin):
            return (_VARY,)
        return (("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", _SHOWN), _VARY)

    def preflight(self, request: Request) -> Response | None:
        """The answer to a browser that asks whether a page may ask."""
        if request.method != "OPTIONS" or "access-control-request-method" not in request.headers:
            return None
        if not self.trusts(request.header("origin")) or not request.path.startswith(_BENEATH):
            return None
        allowed = (
            ("Access-Control-Allow-Methods", _METHODS),
            ("Access-Control-Allow-Headers", _TAKEN),
            ("Access-Control-Max-Age", _REMEMBERED_S),
        )
        return Response(204, headers=allowed)


def _checked(origin: str) -> str:
    try:
        parts = urlsplit(origin)
        spelled = f"{parts.scheme}://{parts.netloc}"
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and spelled == origin.lower() == origin
        good = good and "*" not in origin and "@" not in origin and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good:
        hint = (
            "Write it as browsers do: https://portal.example.org, in small letters, without a path and without a star."
        )
        raise InvalidInput("An origin cannot be allowed", why="it is not spelled as one", hint=hint)
    return origin
