"""What a file of a module leads to: modules it calls and files it may read, found by a skim instead of a parse.

A repository of some hundred root modules has to be looked through within a second, which a reader of the whole language
cannot do. A skim may see more than there is, and then something is planned that need not be; it never sees less: a path
that nobody can tell from the text counts as the whole folder of the module.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.base.json import Json
from plumbline.base.limits import SETTINGS

Base: TypeAlias = Literal["module", "root", "either"]

_NEXT: Final = re.compile(
    r"""(?P<comment>\#[^\n]*+ | //[^\n]*+ | /\*(?s:.*?)(?:\*/|\Z))
      | (?P<heredoc><<-?(?P<tag>[^\W\d][\w-]*+)[ \t\r]*+\n)
      | \bsource[ \t]*+=[ \t]*+"(?P<source>\.\.?/[^"$\\\n]*+)"
      | \b(?:templatefile|file\w*+)[ \t]*+\(\s*+(?P<read>path\.module\s*+,\s*+)?(?P<literal>")?
      | (?P<quote>")
      | ^[ \t]*+(?P<mark>backend|cloud|provider)\b[ \t]*+(?:"(?P<label>[\w-]*+)")?[ \t]*+\{""",
    re.VERBOSE | re.MULTILINE,
)
_REST: Final = re.compile(
    # After a quote: a text with holes, in which there may be texts and brackets, two levels of each.
    r"""((?:[^"\\\n$%]++ | \\. | [$%](?!\{)
        | [$%]\{(?:[^"{}]++ | "(?:[^"\\\n$]++ | \\. | \$(?!\{) | \$\{[^"{}\n]*+\})*" | \{[^{}]*+\})*\})*)" """,
    re.VERBOSE,
)
_PLACE: Final = re.compile(r"\$\{\s*+path\.(module|root|cwd)\s*+\}/?+")
_HOLE: Final = re.compile(r"[$%]\{")
_WILD: Final = re.compile(r"[*?\[{]")
_DEEPEST: Final = 4


class Read(NamedTuple):
    """A path as written, from the folder of its module, of the root module, or of either."""

    base: Base
    path: str
    """Empty for all that is in the folder."""


class Skimmed(NamedTuple):
    calls: frozenset[str] = frozenset()
    """Sources of local modules, as written."""
    reads: frozenset[Read] = frozenset()
    backend: str = ""
    """Where it says that its state is kept, which only root modules do: s3, http, cloud and so on."""
    configured: bool = False
    """It configures a provider, which only root modules should do."""

    def __or__(self, other: "Skimmed") -> "Skimmed":
        return Skimmed(
            self.calls | other.calls,
            self.reads | other.reads,
            self.backend or other.backend,
            self.configured or other.configured,
        )


UNCLEAR: Final = Read("module", "")


def skimmed(content: bytes, *, json: bool) -> Skimmed:
    """Total: what cannot be read may lead anywhere in its folder, and the tool will say what is wrong with it."""
    if json:
        return _skimmed_json(content)
    found = _Finding()
    found.text(content.decode(errors="replace"), 0)
    return found.skimmed()


class _Finding:
    def __init__(self) -> None:
        self.calls: set[str] = set()
        self.reads: set[Read] = set()
        self.backend = ""
        self.configured = False

    def skimmed(self) -> Skimmed:
        return Skimmed(frozenset(self.calls), frozenset(self.reads), self.backend, self.configured)

    def text(self, text: str, depth: int) -> None:
        at = 0
        while match := _NEXT.search(text, at):
            at = match.end()
            if match["comment"]:
                continue
            if match["source"]:
                # Of a module, or of something that reads a file there.
                self.calls.add(match["source"])
                self.reads.add(Read("either", match["source"]))
            elif match["heredoc"]:
                at = self._heredoc(text, match, depth)
            elif match["mark"]:
                self.mark(match["mark"], match["label"] or "")
            else:
                at = self._quoted(text, match, depth)

    def mark(self, name: str, label: str) -> None:
        if name == "provider":
            self.configured = True
        else:
            self.backend = label if name == "backend" else name

    def _quoted(self, text: str, match: re.Match[str], depth: int) -> int:
        """A text, or the call of a function that reads files, whose first argument may be one."""
        if match["quote"] is None and match["literal"] is None:
            self.reads.add(UNCLEAR)
            return match.end()
        rest = _REST.match(text, match.end())
        if rest is None:
            # Nested deeper than anybody writes: texts inside of it are met one after the other.
            self.reads.add(UNCLEAR)
            return match.end()
        if match["quote"] is None:
            self._argument(rest[1], from_module=match["read"] is not None)
        self.template(rest[1], depth)
        return rest.end()

    def template(self, text: str, depth: int) -> None:
        place = _PLACE.match(text)
        if place:
            base: Base = "module" if place[1] == "module" else "root"
            self.reads.add(Read(base, _literal(text[place.end() :])))
        elif text.startswith(("./", "../")):
            self.reads.add(Read("either", _literal(text)))
        if "{" in text and _HOLE.search(text):
            if depth < _DEEPEST:
                self.text(text, depth + 1)
            else:
                self.reads.add(UNCLEAR)

    def _argument(self, text: str, *, from_module: bool) -> None:
        """Of `file("x")` and `fileset(path.module, "x/*")`: a path, even where it does not look like one."""
        if from_module:
            wild = _WILD.search(text)
            self.reads.add(Read("module", text[: wild.start()].rpartition("/")[0] if wild else text))
        elif _HOLE.match(text):
            if not _PLACE.match(text):
                self.reads.add(UNCLEAR)
        elif not text.startswith(("/", "~")):
            self.reads.add(Read("root", _literal(text)))

    def _heredoc(self, text: str, match: re.Match[str], depth: int) -> int:
        end = re.compile(rf"^[ \t]*+{re.escape(match['tag'])}[ \t\r]*+$", re.MULTILINE).search(text, match.end())
        stop = end.start() if end else len(text)
        for hole in _HOLE.finditer(text, match.end(), stop):
            if depth < _DEEPEST:
                self.text(text[hole.end() : _hole_end(text, hole.end(), stop)], depth + 1)
        return end.end() if end else stop


def _hole_end(text: str, start: int, stop: int) -> int:
    depth = 1
    for brace in re.compile(r"[{}]").finditer(text, start, stop):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return stop


def _literal(text: str) -> str:
    """As much of a path as is certain: all of it, or the folder before the first part that is not."""
    hole = _HOLE.search(text)
    return text if hole is None else text[: hole.start()].rpartition("/")[0]


def _skimmed_json(content: bytes) -> Skimmed:
    from plumbline.base.documents import load_json  # noqa: PLC0415 - few write Terraform as JSON

    try:
        root = load_json(content, limits=SETTINGS, repeats="ignore").value
    except (BadDocument, LimitExceeded):
        return Skimmed(reads=frozenset({UNCLEAR}))
    found = _Finding()
    if isinstance(root, dict):
        for block in _each(root.get("module")):
            found.calls |= {
                str(call["source"])
                for named in block.values()
                for call in _each(named)
                if str(call.get("source", "")).startswith(("./", "../"))
            }
        for block in _each(root.get("terraform")):
            for backend in _each(block.get("backend")):
                found.mark("backend", next(iter(backend), ""))
            if "cloud" in block:
                found.mark("cloud", "")
        found.configured = bool(root.get("provider"))
    for text in _texts(root):
        found.template(text, 0)
    return found.skimmed()


def _each(value: Json) -> Iterator[dict[str, Json]]:
    """JSON allows a list of blocks wherever it allows one."""
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _each(item)


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
