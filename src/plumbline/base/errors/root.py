"""What all errors have in common."""

from typing import ClassVar, NamedTuple


class Cause(NamedTuple):
    """One of several reasons, as an API server lists them; `field` is empty where no field is to blame."""

    reason: str
    message: str
    field: str = ""


class PlumblineError(Exception):
    code: ClassVar[str] = "error"
    default_hint: ClassVar[str] = ""
    causes: tuple[Cause, ...] = ()

    def __init__(self, what: str, *, why: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.hint = hint or self.default_hint

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.why else self.what
