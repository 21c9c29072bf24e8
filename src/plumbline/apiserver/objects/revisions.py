"""Revisions as texts: what clients call resourceVersion."""

from plumbline.kube.gotext import quoted

_END = 1 << 64


def revision_of(text: str) -> int | None:
    """None for no text; raises ValueError in the words of Go's parser for what is no revision."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"strconv.ParseUint: parsing {quoted(text)}: invalid syntax")
    revision = int(text) if len(text) < 32 else _END  # noqa: PLR2004 - more digits than any revision has
    if revision >= _END:
        raise ValueError(f"strconv.ParseUint: parsing {quoted(text)}: value out of range")
    return revision
