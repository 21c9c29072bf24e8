"""One resource in one account: what the `$` words of a table stand for."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind, Ref
from plumbline.managed.external import Managed
from plumbline.providers.aws import models
from plumbline.providers.aws.clients import Account
from plumbline.providers.aws.table import Call, Table, TagForm

_WORD: Final = re.compile(r"\$(\.[\w.]+|found\.\w+|\w+)")
_ODD: Final = re.compile(r"[^a-z0-9-]+")
_PENDING: Final = "crossplane.io/external-create-pending"
_TAG_KEYS: Final[Mapping[TagForm, tuple[str, str]]] = {
    "pairs": ("Key", "Value"), "lower pairs": ("key", "value"), "kms pairs": ("TagKey", "TagValue")
}  # fmt: skip
KIND_TAG: Final = "crossplane-kind"
NAME_TAG: Final = "crossplane-name"
NAMESPACE_TAG: Final = "crossplane-namespace"
UNFINISHED_TAG: Final = "plumbline-unfinished"
"""On what takes further calls after its creation, until those are made. AWS remembers it, whatever happens to us."""


def default_tags(managed: Managed) -> dict[str, str]:
    """What upstream puts on everything that takes tags, and what assigned ids are found again by."""
    ref = managed.ref
    tags = {KIND_TAG: str(GroupKind(ref.group, ref.kind)).lower(), NAME_TAG: ref.name}
    if managed.config:
        tags["crossplane-providerconfig"] = managed.config
    if ref.namespace:
        tags[NAMESPACE_TAG] = ref.namespace
        said = managed.object.get("spec", {}).get("providerConfigRef", {}).get("kind")
        if said:
            tags["crossplane-providerconfig-kind"] = said
    return tags


def identity_tags(managed: Managed) -> dict[str, str]:
    """Those that say whose it is: they stay when another ProviderConfig is used."""
    return {key: value for key, value in default_tags(managed).items() if key in {KIND_TAG, NAME_TAG, NAMESPACE_TAG}}


def derived_name(ref: Ref, limit: int) -> str:
    """A name for AWS that only depends on which object it is: the same one after a control plane was lost.

    As it stands where AWS takes it; otherwise shortened, with a digest that keeps different objects apart.
    """
    said = f"{ref.namespace}-{ref.name}" if ref.namespace else ref.name
    plain = _ODD.sub("-", said.lower()).strip("-")
    while "--" in plain:
        plain = plain.replace("--", "-")
    if not plain[:1].isalpha():
        plain = f"r-{plain}"
    if plain == said and len(plain) <= limit and not ref.namespace:
        return plain
    digest = hashlib.sha256("/".join(ref).encode()).hexdigest()[:8]
    return f"{plain[: limit - 9].rstrip('-')}-{digest}"


def _words(field: str, said: Json) -> Iterable[str]:
    """A field's part of a name that is made of several, as Terraform writes it; what is not said has none."""
    if not said:
        return ()
    if said is True:
        return (field,)
    return (str(each) for each in said) if isinstance(said, list) else (str(said),)


class Scene:
    """What is known about one resource during one call of External."""

    def __init__(self, table: Table, managed: Managed, account: Account) -> None:
        self.table = table
        self.managed = managed
        self.account = account
        self.name = managed.external_name
        self.found: JsonObject = {}
        self.reported: JsonObject = managed.object.get("status", {}).get("atProvider", {})

    @property
    def deleting(self) -> bool:
        return bool(self.managed.object.get("metadata", {}).get("deletionTimestamp"))

    @property
    def pending(self) -> bool:
        """Whether somebody has begun to create it."""
        return _PENDING in (self.managed.object.get("metadata", {}).get("annotations") or {})

    @property
    def wanted(self) -> JsonObject:
        return self.managed.at_creation

    @property
    def key(self) -> str:
        key = self.table.key
        said = self.wanted.get(key.field) if key.field else None
        if said:
            return str(said)
        if key.joined:
            return "_".join(each for field in key.joined.split() for each in _words(field, self.wanted.get(field)))
        if not key.limit:
            return ""
        suffix = key.suffix(self.wanted) if key.suffix else ""
        return derived_name(self.managed.ref, key.limit - len(suffix)) + suffix

    def way(self, ways: Mapping[str, Call], usual: Call) -> Call:
        """The one of *ways* that what is wanted asks for."""
        for condition, call in ways.items():
            field, _, value = condition.partition("=")
            said = self.wanted.get(field)
            if said and (not value or said == value):
                return call
        return usual

    async def call(self, operation: str, params: Mapping[str, Json], service: str = "") -> JsonObject:
        return await self.account.call(service or self.table.service, operation, params)

    async def params(self, said: Mapping[str, Json], **more: Json) -> JsonObject:
        """*said* with values for its `$` words; what has none is left out."""
        filled = {name: await self.filled(value, more) for name, value in said.items()}
        return {name: value for name, value in filled.items() if not _void(value)}

    async def filled(self, said: Json, more: Mapping[str, Json]) -> Json:
        if isinstance(said, dict):
            return {
                key: value for key, item in said.items() if not _void(value := await self.filled(item, more))
            } or None
        if isinstance(said, list):
            return [value for item in said if not _void(value := await self.filled(item, more))]
        if not isinstance(said, str) or "$" not in said:
            return said
        whole = _WORD.fullmatch(said)
        if whole:
            return await self._word(whole[1], more)
        words = {match[1]: await self._word(match[1], more) for match in _WORD.finditer(said)}
        if any(map(_void, words.values())):
            return None
        return _WORD.sub(lambda match: str(words[match[1]]), said)

    async def _word(self, word: str, more: Mapping[str, Json]) -> Json:
        if word.startswith("."):
            said = _below(self.wanted, word[1:])
            return self.table.defaults.get(word[1:]) if said is None else said
        if word.startswith("found."):
            found = models.pick(word[6:], self.found)
            return found[0] if isinstance(found, list) and found else found
        if word in more:
            return more[word]
        if word == "account":
            return await self.account.account_id()
        if word == "arn":
            return await self.arn()
        return self._plain(word)

    def _plain(self, word: str) -> Json:
        managed = self.managed
        match word:
            case "name":
                return self.name
            case "key":
                return self.key
            case "region":
                return self.account.region
            case "partition":
                return self.account.partition
            case "token":
                return hashlib.sha256(f"{'/'.join(managed.ref)}/{managed.uid}".encode()).hexdigest()[:32]
            case "tagged":
                return [{"Name": f"tag:{key}", "Values": [value]} for key, value in identity_tags(managed).items()]
            case "identity":
                return [{"Key": key, "Values": [value]} for key, value in identity_tags(managed).items()]
        raise InvalidInput(f"${word} means nothing in a table")

    async def arn(self) -> str:
        """As read, as last reported, or put together."""
        at = self.table.arn
        known = (models.pick(at, self.found) if at and self.found else None) or self.reported.get("arn")
        return str(known or await self.filled(self.table.arn_form, {}) or "")


def _void(value: Json) -> bool:
    return value is None or value == ""


def _below(value: Json, path: str) -> Json:
    for name in path.split("."):
        one = value[0] if isinstance(value, list) and len(value) == 1 else value
        value = one.get(name) if isinstance(one, dict) else None
    return value


def tag_map(found: Json, form: TagForm) -> dict[str, str]:
    """Tags as manifests have them, without those that AWS itself puts on."""
    if form == "map":
        pairs = dict(found or {})
    else:
        key, value = _TAG_KEYS[form]
        pairs = {tag[key]: tag.get(value, "") for tag in found or []}
    return {name: said for name, said in pairs.items() if not name.startswith("aws:")}


def tag_form(tags: Mapping[str, str], form: TagForm) -> Json:
    if form == "map":
        return dict(tags)
    key, value = _TAG_KEYS[form]
    return [{key: name, value: said} for name, said in sorted(tags.items())]
