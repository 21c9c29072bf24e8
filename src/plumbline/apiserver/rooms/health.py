"""Whether the control plane is well."""

from collections.abc import Callable, Mapping
from typing import Final

from plumbline.access.identity import Identity
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.requests.routes import Route

_ROOTS: Final = frozenset({"healthz", "livez", "readyz"})
_TEXT: Final = "text/plain; charset=utf-8"
Check = Callable[[], bool]


class HealthRoom:
    """*checks* by name; none of them may wait."""

    def __init__(self, checks: Mapping[str, Check] | None = None) -> None:
        self._checks = {"ping": lambda: True, **(checks or {})}

    async def answer(self, _route: Route, call: Call, _identity: Identity) -> Answer | None:
        root, slash, one = call.path.removeprefix("/").partition("/")
        if root not in _ROOTS:
            return None
        return self._one(one) if slash else self._all(root, call)

    def _all(self, root: str, call: Call) -> Answer:
        excluded = call.parameters.get("exclude", ())
        results = {name: name in excluded or check() for name, check in self._checks.items()}
        healthy = all(results.values())
        if healthy and "verbose" not in call.parameters:
            return Answer(200, b"ok", content_type=_TEXT)
        lines = [_line(name, well=well, excluded=name in excluded) for name, well in results.items()]
        lines.append(f"{root} check passed" if healthy else f"{root} check failed")
        return Answer(200 if healthy else 500, ("\n".join(lines) + "\n").encode(), content_type=_TEXT)

    def _one(self, name: str) -> Answer | None:
        check = self._checks.get(name)
        if check is None:
            return None
        well = check()
        return Answer(200 if well else 500, b"ok" if well else b"internal server error\n", content_type=_TEXT)


def _line(name: str, *, well: bool, excluded: bool) -> str:
    if excluded:
        return f"[+]{name} excluded: ok"
    return f"[+]{name} ok" if well else f"[-]{name} failed: reason withheld"
