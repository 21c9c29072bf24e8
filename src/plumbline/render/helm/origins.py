"""From Helm's remarks to the templates that objects were written in."""

from typing import TYPE_CHECKING, Final

from plumbline.render.requests import Origin

if TYPE_CHECKING:
    from plumbline.base.documents import Document

_REMARK: Final = b"# Source: "


class Origins:
    """Reads where each document of *text* comes from; *chart* is where the chart lies in its tree."""

    def __init__(self, text: bytes, chart: str) -> None:
        self._text = text
        self._chart = chart

    def of(self, document: "Document") -> Origin:
        part = document.part
        begin = self._text.find(_REMARK, part.start, part.end)
        if begin < 0:
            return Origin(self._in_chart("Chart.yaml"))
        end = self._text.find(b"\n", begin, part.end)
        named = self._text[begin + len(_REMARK) : end if end >= 0 else part.end].decode("utf-8", "replace")
        return Origin(self._in_chart(named.partition("/")[2] or named))

    def _in_chart(self, path: str) -> str:
        return f"{self._chart}/{path}" if self._chart else path
