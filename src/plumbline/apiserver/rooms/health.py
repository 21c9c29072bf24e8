"""Whether the control plane is well."""

from collections.abc import Callable
from typing import Final

from plumbline.access.identity import Identity
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.requests.routes import Route

_PATHS: Final = ("/healthz", "/livez", "/readyz")
_TEXT: Final = "text/plain; charset=utf-8"
Check = Callable[[], bool]


class HealthRoom:
    """*checks* by name; none of them may wait."""

    def __init__(self, checks: dict[str, Check] | None = None) -> None:
        self._checks = {"ping": lambda: True, **(checks or {})}

    async def answer(self, _route: Route, call: Call, _identity: Identity) -> Answer | None:
        if not call.path.startswith(_PATHS):
            return None
        root, _slash, one = call.path.strip("/").partition("/")
        if one:
            return self._one(one)
        excluded = call.parameters.get("exclude", ())
        results = {name: check() for name, check in self._checks.items() if name not in excluded}
        healthy = all(results.values())
        if healthy and "verbose" not in call.parameters:
            return Answer(200, b"ok", content_type=_TEXT)
        lines = [f"[+]{name} ok" if well else f"[-]{name} failed: reason withheld" for name, well in results.items()]
        lines.append(f"{root} check passed" if healthy else f"{root} check failed")
        return Answer(200 if healthy else 500, ("\n".join(lines) + "\n").encode(), content_type=_TEXT)

    def _one(self, name: str) -> Answer | None:
        check = self._checks.get(name)
        if check is None:
            return None
        well = check()
        return Answer(200 if well else 500, b"ok" if well else b"internal server error\n", content_type=_TEXT)
