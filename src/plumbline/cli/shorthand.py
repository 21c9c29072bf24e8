"""`plumb sync app/shop` for `plumb app sync shop`: whoever thinks of the verb first need not think again."""

from typing import Final

_NOUNS: Final = {
    "app": "app",
    "application": "app",
    "applications": "app",
    "apps": "app",
    "tf": "tf",
    "terraform": "tf",
}
_VERBS: Final = {
    "app": frozenset(
        {"delete", "history", "logs", "manifests", "resources", "rollback", "sync", "terminate-op", "wait"}
    ),
    "tf": frozenset({"approve", "logs", "output", "reject", "resume", "suspend", "unlock"}),
}


def spelled_out(arguments: list[str]) -> list[str]:
    """The same command line with the noun before the verb; as it was where it is no such shorthand."""
    at = next((index for index, each in enumerate(arguments) if not each.startswith("-")), len(arguments))
    head, verb, rest = arguments[:at], arguments[at : at + 1], arguments[at + 1 :]
    found = next((index for index, each in enumerate(rest) if not each.startswith("-")), None)
    if not verb or found is None:
        return arguments
    kind, slash, name = rest[found].partition("/")
    noun = _NOUNS.get(kind.lower(), "")
    if not slash or not name or verb[0] not in _VERBS.get(noun, ()):
        return arguments
    return [*head, noun, verb[0], *rest[:found], name, *rest[found + 1 :]]
