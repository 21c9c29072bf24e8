"""AWS Systems Manager Parameter Store."""

from collections.abc import AsyncIterator, Mapping
from typing import Final

from plumbline.base.errors import Forbidden, GarbledReply, NotFound
from plumbline.base.json import JsonObject, encode_sorted
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.stores.aws.calls import Calls
from plumbline.secrets.stores.aws.pushing import ParameterStoreSink
from plumbline.secrets.stores.names import fitting, unspoken_search
from plumbline.secrets.stores.properties import entries_of, property_of
from plumbline.secrets.stores.store import Remote, Search

_PAGE: Final = 10
_DESCRIBED: Final = 50
_LISTED: Final = "Parameters cannot be listed"


class ParameterStore:
    """Values are decrypted. A version is a number or a label."""

    def __init__(self, calls: Calls, prefix: str) -> None:
        self._calls = calls
        self._prefix = prefix

    async def value(self, remote: Remote) -> Plaintext:
        name = f"{self._prefix}{remote.key}"
        if remote.metadata:
            whole = await self._tags(name)
        else:
            whole = await self._whole(f"{name}:{remote.version}" if remote.version else name)
        if not remote.property:
            return whole
        part = property_of(whole, remote.property)
        if part is None:
            raise NotFound(f"Parameter {name} has no property {remote.property}")
        return part

    async def entries(self, remote: Remote) -> Mapping[str, Plaintext]:
        return entries_of(await self.value(remote))

    async def search(self, search: Search) -> Mapping[str, Plaintext]:
        """The path is a level of the hierarchy, with all below it; the prefix is not put before it."""
        if search.tags:
            return await self._described(search)
        if not search.name:
            raise unspoken_search()
        try:
            return await self._below(search)
        except Forbidden:
            # Policies for all of a hierarchy are rarer than those for single parameters.
            return await self._described(search)

    async def check(self) -> bool:
        """Whoever opened it has credentials; what they are good for is known when a parameter is asked for."""
        return True

    async def close(self) -> None:
        await self._calls.close()

    def sink(self) -> ParameterStoreSink:
        return ParameterStoreSink(self._calls, self._prefix)

    async def _whole(self, name: str) -> Plaintext:
        what = f"Parameter {name} cannot be read"
        answer = await self._calls.call("get_parameter", what, Name=name, WithDecryption=True)
        return _value(answer.get("Parameter") or {}, what)

    async def _tags(self, name: str) -> Plaintext:
        what = f"The tags of parameter {name} cannot be read"
        asked = {"ResourceType": "Parameter", "ResourceId": name}
        told = await self._calls.call("list_tags_for_resource", what, **asked)
        return Plaintext(encode_sorted({tag["Key"]: tag["Value"] for tag in told.get("TagList") or ()}))

    async def _below(self, search: Search) -> dict[str, Plaintext]:
        fits = fitting(search)
        found: dict[str, Plaintext] = {}
        asked = {"Path": search.path or "/", "Recursive": True, "WithDecryption": True, "MaxResults": _PAGE}
        async for page in self._calls.pages("get_parameters_by_path", _LISTED, **asked):
            for parameter in page.get("Parameters") or ():
                if fits(str(parameter["Name"])):
                    found[str(parameter["Name"])] = _value(parameter, _LISTED)
        return found

    async def _described(self, search: Search) -> dict[str, Plaintext]:
        found: dict[str, Plaintext] = {}
        async for name in self._names(search):
            try:
                found[name] = await self._whole(name)
            except NotFound:
                continue  # it went away since it was listed
        return found

    async def _names(self, search: Search) -> AsyncIterator[str]:
        fits = fitting(search)
        filters = [
            {"Key": f"tag:{name}", "Option": "Equals", "Values": [value]} for name, value in sorted(search.tags.items())
        ]
        if search.path:
            filters.append({"Key": "Path", "Option": "Recursive", "Values": [search.path]})
        asked = {"ParameterFilters": filters, "MaxResults": _DESCRIBED}
        async for page in self._calls.pages("describe_parameters", _LISTED, **asked):
            for parameter in page.get("Parameters") or ():
                if fits(str(parameter["Name"])):
                    yield str(parameter["Name"])


def _value(parameter: JsonObject, what: str) -> Plaintext:
    if parameter.get("Value") is None:
        raise GarbledReply(what, why="invalid secret received. parameter value is nil")
    return Plaintext(str(parameter["Value"]))
