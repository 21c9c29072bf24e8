"""Policies of a project for signatures of commits, by their place in the list."""

import re
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject
from plumbline.cli.projecting.values import Edit
from plumbline.cli.terminal import argo_table

HEADER: Final = ("ID", "GPG-MODE", "GPG-KEYS", "REPO-URLS")
_FINGERPRINT: Final = re.compile(r"[0-9A-Fa-f]{24}([0-9A-Fa-f]{16})")
_KEY: Final = re.compile(r"[0-9A-Fa-f]{16}|SHA256:[A-Za-z0-9+/]+=*")
_NONE: Final = "<none>"


class Named(NamedTuple):
    """What a list is to have instead, to have besides, and no longer to have."""

    instead: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def of(self, before: Sequence[str]) -> list[str]:
        kept = [each for each in self.instead or before if each not in self.without]
        return list(dict.fromkeys([*kept, *self.besides]))


def key_id(text: str) -> str:
    """Sixteen digits of a GnuPG key, be it given by its fingerprint, or an ssh key as it is. Raises InvalidInput."""
    if long := _FINGERPRINT.fullmatch(text):
        return long.group(1)
    if _KEY.fullmatch(text):
        return text
    raise InvalidInput(
        f"{text!r} is not a valid GnuPG key ID",
        why="it should have 16 or 40 hexadecimal digits, or be SHA256:... for a key of ssh",
        hint="See those of your keys with: gpg --list-keys --keyid-format long.",
    )


def policies(spec: JsonObject) -> list[JsonObject]:
    found: list[JsonObject] = ((spec.get("sourceIntegrity") or {}).get("git") or {}).get("policies") or []
    return found


def added(mode: str, urls: Sequence[str], keys: Sequence[str]) -> Edit:
    policy = {"repos": [{"url": url} for url in urls], "gpg": {"mode": mode, "keys": [key_id(key) for key in keys]}}
    return lambda spec: _holding(spec, [*policies(spec), policy])


def changed(number: int, mode: str, urls: Named, keys: Named) -> Edit:
    ids = Named(*(tuple(map(key_id, part)) for part in keys))

    def edit(spec: JsonObject) -> JsonObject:
        found = policies(spec)
        _known(found, (number,))
        before = found[number]
        gpg = before.get("gpg") or {}
        after = {
            "repos": [{"url": url} for url in urls.of([str(each.get("url")) for each in before.get("repos") or ()])],
            "gpg": {"mode": mode or gpg.get("mode") or "", "keys": ids.of(list(map(_bare, gpg.get("keys") or ())))},
        }
        return _holding(spec, [*found[:number], after, *found[number + 1 :]])

    return edit


def dropped(numbers: Collection[int]) -> Edit:
    def edit(spec: JsonObject) -> JsonObject:
        found = policies(spec)
        _known(found, numbers)
        return _holding(spec, [each for number, each in enumerate(found) if number not in numbers])

    return edit


def drawn(found: Sequence[JsonObject]) -> str:
    return argo_table(HEADER, [_row(number, each) for number, each in enumerate(found)])


def lacking(policy: JsonObject) -> list[str]:
    """Why a policy would do nothing, or nothing but refuse."""
    told = []
    if not policy["repos"]:
        told.append("Warning: Policy has no repository URLs and will never be used")
    if not policy["gpg"]["keys"]:
        told.append("Warning: Policy has no GPG keys and will never validate any revision")
    return told


def _row(number: int, policy: JsonObject) -> tuple[str, ...]:
    gpg = policy.get("gpg") or {}
    urls = [str(each.get("url")) for each in policy.get("repos") or ()]
    keys = ", ".join(gpg.get("keys") or ())
    return str(number), str(gpg.get("mode") or _NONE), keys or _NONE, ", ".join(urls) or _NONE


def _bare(listed: str) -> str:
    """Whatever people wrote into the manifest is compared as far as it can be read."""
    try:
        return key_id(listed)
    except InvalidInput:
        return listed


def _known(found: Sequence[JsonObject], numbers: Collection[int]) -> None:
    for number in numbers:
        if not 0 <= number < len(found):
            hint = "See which there are with: plumb proj source-integrity git policies list."
            raise NotFound(f"there is no policy {number}", hint=hint)


def _holding(spec: JsonObject, found: list[JsonObject]) -> JsonObject:
    """An empty list is as good as none: then older signatureKeys count again."""
    rest = {key: value for key, value in spec.items() if key != "sourceIntegrity"}
    return {**rest, "sourceIntegrity": {"git": {"policies": found}}} if found else rest
