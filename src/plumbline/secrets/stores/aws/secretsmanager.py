"""AWS Secrets Manager."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import Forbidden, GarbledReply, NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject, encode_sorted
from plumbline.base.plaintext import Plaintext
from plumbline.kinds.externalsecrets.providers import AwsSecretsManager
from plumbline.secrets.stores.aws import faults
from plumbline.secrets.stores.aws.calls import Calls
from plumbline.secrets.stores.aws.pushing import SecretsManagerSink
from plumbline.secrets.stores.names import fitting, unspoken_search
from plumbline.secrets.stores.properties import entries_of, property_of
from plumbline.secrets.stores.store import Remote, Search

_CURRENT: Final = "AWSCURRENT"
_VERSION_ID: Final = "uuid/"
_PAGE: Final = 100
_BATCH: Final = 20
_CONDITIONS: Final = 10
"""How many values one call takes, and how many filters."""


class SecretsManager:
    def __init__(self, calls: Calls, prefix: str, leaving: AwsSecretsManager | None = None) -> None:
        """*leaving* says how secrets are deleted."""
        self._calls = calls
        self._prefix = prefix
        self._leaving = leaving

    async def value(self, remote: Remote) -> Plaintext:
        whole = await (self._tags(remote) if remote.metadata else self._whole(remote))
        if not remote.property:
            return whole
        part = property_of(whole, remote.property)
        if part is None:
            raise NotFound(f"Secret {self._prefix}{remote.key} has no property {remote.property}")
        return part

    async def entries(self, remote: Remote) -> Mapping[str, Plaintext]:
        return entries_of(await self.value(remote))

    async def search(self, search: Search) -> Mapping[str, Plaintext]:
        """The path is what names begin with; the prefix is not put before it, as names are what is found."""
        if not search.name and not search.tags:
            raise unspoken_search()
        found: dict[str, Plaintext] = {}
        names = await self._named(search)
        for at in range(0, len(names), _BATCH):
            found |= await self._values(names[at : at + _BATCH])
        return found

    async def check(self) -> bool:
        """Whoever opened it has credentials; what they are good for is known when a secret is asked for."""
        return True

    async def close(self) -> None:
        await self._calls.close()

    def sink(self) -> SecretsManagerSink:
        return SecretsManagerSink(self._calls, self._prefix, self._leaving, Ids())

    async def _whole(self, remote: Remote) -> Plaintext:
        version = remote.version or _CURRENT
        by_id = version.startswith(_VERSION_ID)
        which = {"VersionId": version.removeprefix(_VERSION_ID)} if by_id else {"VersionStage": version}
        key = f"{self._prefix}{remote.key}"
        what = f"Secret {key} cannot be read"
        return _value(await self._calls.call("get_secret_value", what, SecretId=key, **which), what)

    async def _tags(self, remote: Remote) -> Plaintext:
        key = f"{self._prefix}{remote.key}"
        told = await self._calls.call("describe_secret", f"The tags of secret {key} cannot be read", SecretId=key)
        return Plaintext(encode_sorted(_tags(told)))

    async def _named(self, search: Search) -> list[str]:
        """Of all that AWS finds: it compares keys and values of tags apart from each other, and knows no expressions."""
        fits = fitting(search)
        filters = [
            {"Key": key, "Values": [value]}
            for name, value in sorted(search.tags.items())
            for key, value in (("tag-key", name), ("tag-value", value))
        ][: _CONDITIONS - 1]
        if search.path:
            filters.append({"Key": "name", "Values": [search.path]})
        names: list[str] = []
        what = "Secrets cannot be listed"
        asked = {"Filters": filters} if filters else {}
        async for page in self._calls.pages("list_secrets", what, MaxResults=_PAGE, **asked):
            for secret in page.get("SecretList") or ():
                name = str(secret["Name"])
                if name.startswith(search.path) and fits(name) and search.tags.items() <= _tags(secret).items():
                    names.append(name)
        return names

    async def _values(self, names: list[str]) -> dict[str, Plaintext]:
        try:
            answer = await self._calls.call("batch_get_secret_value", "Secrets cannot be read", SecretIdList=names)
        except Forbidden:
            return await self._one_by_one(names)
        for fault in answer.get("Errors") or ():
            said = {"Error": {"Code": fault.get("ErrorCode", ""), "Message": fault.get("Message", "")}}
            error = faults.answered(f"Secret {fault.get('SecretId', '')} cannot be read", said)
            # What went away since it was listed is not there; anything else would make a Secret lose what is.
            if not isinstance(error, NotFound):
                raise error
        values = answer.get("SecretValues") or ()
        return {str(each["Name"]): _value(each, f"Secret {each['Name']} cannot be read") for each in values}

    async def _one_by_one(self, names: list[str]) -> dict[str, Plaintext]:
        """For policies that do not allow BatchGetSecretValue."""
        found: dict[str, Plaintext] = {}
        for name in names:
            what = f"Secret {name} cannot be read"
            try:
                found[name] = _value(await self._calls.call("get_secret_value", what, SecretId=name), what)
            except NotFound:
                continue
        return found


def _value(answer: JsonObject, what: str) -> Plaintext:
    if answer.get("SecretString") is not None:
        return Plaintext(str(answer["SecretString"]))
    if answer.get("SecretBinary") is not None:
        return Plaintext(answer["SecretBinary"])
    raise GarbledReply(
        what, why="invalid secret received. no secret string nor binary", hint="Give the secret a value."
    )


def _tags(described: JsonObject) -> dict[str, str]:
    return {str(tag["Key"]): str(tag.get("Value", "")) for tag in described.get("Tags") or ()}
