"""A path of a composition, read once and used for every object."""

from plumbline.base.errors import BadFieldPath
from plumbline.base.json import Json
from plumbline.kube.fieldpath.access import value_at
from plumbline.kube.fieldpath.syntax import Segments, parsed


class Path:
    """A path that was read beforehand. One that cannot be read complains where it is used, as upstream does."""

    __slots__ = ("_fault", "_segments", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._segments: Segments = ()
        self._fault = ""
        try:
            self._segments = parsed(text)
        except BadFieldPath as fault:
            self._fault = fault.what

    @property
    def segments(self) -> Segments:
        if self._fault:
            raise BadFieldPath(self._fault)
        return self._segments

    @property
    def wild(self) -> bool:
        """Whether a write to it goes to all that is there."""
        return "[*]" in self.text

    def value(self, of: Json) -> Json:
        """Raises FieldNotFound, and BadFieldPath where the object is of another shape."""
        return value_at(of, self.segments)
