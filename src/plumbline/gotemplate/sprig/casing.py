"""Words in one name: camelCase, snake_case, kebab-case."""

import re
from typing import Final

_words: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+[A-Za-z]*|[^A-Za-z0-9_\-\s]+")


def _joined(value: str, separator: str) -> str:
    return separator.join(_words.findall(value)).lower()


def snake_case(value: str) -> str:
    return _joined(value, "_")


def kebab_case(value: str) -> str:
    return _joined(value, "-")


def camel_case(value: str) -> str:
    """Each word with a capital: `http_server` is HttpServer."""
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[_\-\s]+", value))
