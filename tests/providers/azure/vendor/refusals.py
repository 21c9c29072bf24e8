"""A refusal as Azure words it."""

from typing import Any


class Refusal(Exception):
    def __init__(self, status: int, code: str, message: str, *, retry_after: str = "", details: tuple = ()) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after
        self.details = details

    def body(self) -> dict[str, Any]:
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.details:
            error["details"] = [{"code": code, "message": message} for code, message in self.details]
        return {"error": error}
