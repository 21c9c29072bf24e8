"""Text of others on one line of ours."""

from typing import Final

from plumbline.base.json import encode

SENSITIVE: Final = "(sensitive value)"
UNKNOWN: Final = "(known after apply)"
HIDDEN: Final = "(hidden)"
_LONGEST: Final = 400


def plain(text: str) -> str:
    """*text* on one line, without anything that a terminal would obey: escapes, bells, bidirectional overrides."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode()
        for c in text.encode("utf-8", "backslashreplace").decode()
    )


def cut(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def quoted(text: str) -> str:
    """As JSON writes it, so that a text is told from a number and from a word of ours."""
    return plain(encode(text.encode("utf-8", "backslashreplace").decode()).decode())


def counted(number: int, thing: str, many: str = "") -> str:
    return f"{number:,} {thing if number == 1 else many or f'{thing}s'}"


def block_address(address: str) -> str:
    """The address without the keys of instances: `module.a["x"].t.n[0]` is `module.a.t.n`."""
    if "[" not in address:
        return address
    kept: list[str] = []
    at, depth, quote = 0, 0, False
    while at < len(address):
        char = address[at]
        if quote:
            at += 1 if char != "\\" else 2
            quote = char != '"'
            continue
        if char == '"' and depth:
            quote = True
        elif char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
        elif not depth:
            kept.append(char)
        at += 1
    return "".join(kept)
