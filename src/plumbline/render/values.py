"""Values that are neither in Git nor in the Application: outputs of infrastructure, given to a render from outside.

They may be secret. So they are opaque until a tool is given them, no key of a render is made of them, and nothing that
a tool says about them is passed on with one of them in it.
"""

from typing import Final, TypeVar

from plumbline.base.errors import PlumblineError
from plumbline.base.plaintext import Plaintext
from plumbline.base.process.masking import Mask

E = TypeVar("E", bound=PlumblineError)

_MOST: Final = 1000
_WITHHELD: Final = "what it said may hold secret values, and is not shown"


class Values:
    """One tree of values, as JSON. Equal versions mean equal values; *secrets* are those that nobody may be told."""

    __slots__ = ("_mask", "secrets", "tree", "version")

    def __init__(self, tree: Plaintext, version: str, secrets: tuple[Plaintext, ...] = ()) -> None:
        self.tree = tree
        self.version = version
        self.secrets = secrets
        self._mask: Mask | None = None

    def __repr__(self) -> str:
        return f"Values({self.version})"

    def masked(self, text: str) -> str:
        """*text* without any of the secrets, in whatever form tools and servers repeat them."""
        if not self.secrets or not text:
            return text
        if len(self.secrets) > _MOST:
            return _WITHHELD
        if self._mask is None:  # made for those who have something to tell: that takes a while
            self._mask = Mask(self.secrets)
        return self._mask.apply(text.encode("utf-8", "replace")).decode("utf-8", "replace")

    def discreet(self, error: E) -> E:
        """*error* with no secret in it, nor in what led to it."""
        if self.secrets:
            error.what, error.why, error.hint = map(self.masked, (error.what, error.why, error.hint))
            error.args = tuple(self.masked(each) if isinstance(each, str) else each for each in error.args)
            error.causes = tuple(each._replace(message=self.masked(each.message)) for each in error.causes)
            error.__cause__ = error.__context__ = None
        return error


def version_of(values: Values | None) -> str:
    """What stands for *values* in the key of a render."""
    return values.version if values is not None else ""
