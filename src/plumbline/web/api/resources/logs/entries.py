"""Lines of logs as Argo CD's `LogEntry`. Pure."""

from typing import Final, NamedTuple

from plumbline.base.json import encode

_SECONDS: Final = len("2026-01-31T12:00:00")
_NANOSECONDS: Final = 9


class Entry(NamedTuple):
    stamp: str
    """As the node wrote it: RFC 3339 with as many digits as it has."""
    pod: str
    text: str
    last: bool = False

    @property
    def order(self) -> str:
        """Sorts by time: stamps leave out zeros at their end."""
        whole, fraction = self.stamp[:_SECONDS], self.stamp[_SECONDS:].removesuffix("Z").lstrip(".")
        return f"{whole}.{fraction:0<{_NANOSECONDS}}"

    def written(self, *, event: bool) -> bytes:
        """As a line of a stream, or as an event of one."""
        body = encode({
            "result": {
                "content": self.text,
                "timeStamp": f"{self.stamp[:_SECONDS]}Z" if self.stamp else None,
                "last": self.last,
                "timeStampStr": self.stamp,
                "podName": self.pod,
            }
        })  # fmt: skip
        return b"data: %b\n\n" % body if event else b"%b\n" % body


def parsed(line: str, pod: str) -> list[Entry]:
    """A line with its time in front; what redraws itself with carriage returns is several."""
    stamp, _, text = line.partition(" ")
    if len(stamp) <= _SECONDS or not stamp.endswith("Z"):
        return [Entry("", pod, line)]
    return [Entry(stamp, pod, each) for each in text.split("\r")]
