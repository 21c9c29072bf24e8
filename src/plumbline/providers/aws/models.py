"""AWS's own descriptions of its services, as botocore ships them: loaded once, without their documentation.

This is the one place that imports botocore. It is an extra, imported when the first AWS resource is looked at; a session,
a loader and the models in it are shared by every account and region. Seven tenths of a model is prose for people, which
is dropped while loading. Of the rest nearly nothing is ever read: EC2 has 807 operations, of which the tables name some forty. So
each operation and each shape stays text until somebody asks for it, which takes a third of the memory.
"""

import functools
import gzip
import itertools
from collections.abc import ItemsView, Iterator, ValuesView
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from plumbline.base import awssdk
from plumbline.base.json import Json, JsonObject, decode, encode

Shape: TypeAlias = Any
"""A botocore.model.Shape: `type_name`, and `members`, `member`, `key`, `value` as its type has them."""

_PROSE: Final = frozenset({"documentation", "examples", "documentationUrl"})
_READ_ANYWAY: Final = "clientContextParams"
"""botocore insists on the documentation of these few."""

_MISSED: Final = "AWS resources cannot be looked after"


def library(module: str) -> Any:
    """A module of the extra `aws`."""
    return awssdk.library(module, _MISSED)


def settings(**options: Any) -> Any:
    """A client's, with which its requests stay where they were sent."""
    return awssdk.settings(_MISSED, **options)


_PARTS: Final = frozenset({"operations", "shapes"})

_raw: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Parts(dict[str, Any]):
    """Operations or shapes by name, each read when it is first asked for. A dictionary, since botocore merges into it."""

    def __getitem__(self, name: str) -> Any:
        part = super().__getitem__(name)
        if isinstance(part, bytes):
            part = self[name] = decode(part)
        return part

    def __iter__(self) -> Iterator[str]:
        """Said here so that a copy, too, asks for each part instead of taking what is there."""
        return super().__iter__()

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def items(self) -> Any:
        """Not dict's own view, which shows text."""
        return ItemsView(self)

    def values(self) -> Any:
        return ValuesView(self)


class LeanFiles:
    """What botocore's loader reads its files with, instead of its own: no prose, no ordered dictionaries."""

    def exists(self, file_path: str) -> bool:
        return self._file(file_path) is not None

    def load_file(self, file_path: str) -> Json:
        file = self._file(file_path)
        if file is None:
            return None
        content = file.read_bytes()
        text = gzip.decompress(content) if file.suffix == ".gz" else content
        return _service(text) if file_path.endswith("/service-2") else lean(decode(text))

    @staticmethod
    def _file(path: str) -> Path | None:
        return next((file for file in (Path(path + ".json"), Path(path + ".json.gz")) if file.is_file()), None)


def lean(description: Json) -> Json:
    """*description* without what people read. A member that is called `documentation` is a structure and stays."""
    if isinstance(description, list):
        return [lean(item) for item in description]
    if not isinstance(description, dict):
        return description
    return {
        key: value if key == _READ_ANYWAY else lean(value)
        for key, value in description.items()
        if key not in _PROSE or isinstance(value, dict)
    }


def _service(text: bytes) -> JsonObject:
    """The description of a service, of which never more than one part is read at a time."""
    described = _raw.decode(text)
    small = lean({name: decode(part) for name, part in described.items() if name not in _PARTS})
    return {**small, **{name: _parts(described[name]) for name in _PARTS & described.keys()}}


def _parts(text: msgspec.Raw) -> Parts:
    return Parts({name: encode(lean(decode(part))) for name, part in _raw.decode(text).items()})


@functools.cache
def loader() -> Any:
    made = library("botocore.loaders").create_loader()
    made.file_loader = LeanFiles()
    return made


@functools.cache
def service_model(service: str) -> Any:
    return library("botocore.model").ServiceModel(loader().load_service_model(service, "service-2"), service)


@functools.cache
def operation(service: str, name: str) -> Any:
    return service_model(service).operation_model(name)


def request(service: str, name: str) -> Shape:
    """What an operation takes. Every operation in the tables takes something."""
    return operation(service, name).input_shape


@functools.lru_cache(maxsize=4096)
def _compiled(expression: str) -> Any:
    return library("jmespath").compile(expression)


def pick(expression: str, value: Json) -> Json:
    """What a JMESPath expression finds in *value*: None where it leads nowhere."""
    return value if expression == "@" else _compiled(expression).search(value)


def pages(service: str, name: str) -> Json:
    """How botocore says that the answers of an operation are continued; None where they are not."""
    described = loader().load_service_model(service, "paginators-1")
    return described["pagination"].get(name)


@functools.cache
def regions() -> frozenset[str]:
    """Every region of every partition that this version of botocore knows."""
    partitions = loader().load_data("endpoints")["partitions"]
    return frozenset(region for partition in partitions for region in partition["regions"])


@functools.cache
def _endpoints() -> Any:
    return library("botocore.regions").EndpointResolver(loader().load_data("endpoints"))


def own_hosts(service: str, region: str) -> frozenset[str]:
    """AWS's own servers for *service* as seen from *region*: the usual one, the one of all regions, and those for IPv6 and FIPS."""
    places = (region, f"{partition_of(region)}-global")
    variants = itertools.product(places, (False, True), (False, True))
    found = (
        _endpoints().construct_endpoint(service, place, use_dualstack_endpoint=dual, use_fips_endpoint=fips)
        for place, dual, fips in variants
    )
    return frozenset(each["hostname"] for each in found if each)


@functools.cache
def partition_of(region: str) -> str:
    for partition in loader().load_data("endpoints")["partitions"]:
        if region in partition["regions"]:
            return str(partition["partition"])
    return "aws"
