"""What moto and botocore read before anybody asks for it, read when somebody does, and once.

Offers of EC2 instances, the policies that AWS has in each account, and botocore's descriptions with all their prose: two
thirds of what the simulation would weigh, and half of what it would have to do before its first answers.
"""

import functools
import gzip
import random  # noqa: TID251 - some of moto's backends draw from the module itself
import sys
from collections import UserDict, UserList
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec

from plumbline.base.json import Json, JsonObject, decode
from plumbline.providers.aws.models import LeanFiles, library

_TYPES: Final = "moto.ec2.models.instance_types"
_POLICIES: Final = "moto.iam.models"


class Table(UserDict[str, Any]):
    """What *content* says; where that is a function, when the table is first looked at."""

    def __init__(self, content: Callable[[], dict[str, Any]] | Mapping[str, Any]) -> None:
        if callable(content):
            self._read = content
        else:
            super().__init__(content)

    def __getattr__(self, name: str) -> dict[str, Any]:
        """Whoever is here finds nothing read yet."""
        if name != "data":
            raise AttributeError(name)
        self.data = self._read()
        return self.data


class Rows(UserList[Any]):
    """What *content* says; where that is a function, when the rows are first looked at."""

    def __init__(self, content: Callable[[], list[Any]] | Iterable[Any]) -> None:
        if callable(content):
            self._read = content
        else:
            super().__init__(content)

    def __getattr__(self, name: str) -> list[Any]:
        """Whoever is here finds nothing read yet."""
        if name != "data":
            raise AttributeError(name)
        self.data = self._read()
        return self.data


class Headings(LeanFiles):
    """Of services no more than their names and addresses, which is all that tells where there is one."""

    def load_file(self, file_path: str) -> Json:
        return _heading(file_path) if file_path.endswith("/service-2") else _described(file_path)


class _Heading(msgspec.Struct):
    metadata: JsonObject


def _heading(file_path: str) -> Json:
    file = Path(f"{file_path}.json.gz")
    if not file.is_file():
        return LeanFiles().load_file(file_path)
    return {"metadata": msgspec.json.decode(gzip.decompress(file.read_bytes()), type=_Heading).metadata}


@functools.cache
def _described(file_path: str) -> Json:
    return LeanFiles().load_file(file_path)


def spare() -> None:
    """For the whole of this process. What somebody has imported already is changed too, though its memory is spent."""
    if any(isinstance(each, _Sparing) for each in sys.meta_path):
        return
    from moto.core.loaders import Loader  # noqa: PLC0415 - an extra

    # It writes into what it has read, so it shares nothing; moto asks it once for each service.
    Loader.FILE_LOADER_CLASS = LeanFiles
    sys.meta_path.insert(0, _Sparing())
    for name, loader in _LOADERS.items():
        if name in sys.modules:
            loader.amend(sys.modules[name])


def without_clients() -> None:
    """Nobody in this process calls AWS: what moto makes sessions of botocore for, again and again, is a list of regions."""
    library("botocore.loaders").Loader.FILE_LOADER_CLASS = Headings


class _Sparing:
    """Modules that read too much are imported as ever, and changed before anybody sees them."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        loader = _LOADERS.get(name)
        spec = PathFinder.find_spec(name, path, target) if loader is not None else None
        if loader is None or spec is None or spec.origin is None:
            return None
        spec.loader = loader(name, spec.origin)
        return spec


class _Types(SourceFileLoader):
    """Every type of instance, and where each of them is offered: forty times as large in memory as on the disk."""

    def exec_module(self, module: ModuleType) -> None:
        with _nothing_read():
            super().exec_module(module)
        self.amend(module)

    @staticmethod
    def amend(module: ModuleType) -> None:
        resources = Path(str(module.__file__)).parents[1] / "resources"
        kinds = Table(lambda: _unpacked(resources / "instance_types.json.gz"))
        contents = vars(module)
        contents["INSTANCE_TYPES"] = kinds
        contents["INSTANCE_FAMILIES"] = Rows(lambda: sorted({each.partition(".")[0] for each in kinds}))
        instance_type = contents["InstanceType"]
        contents["InstanceTypeBackend"].instance_types = Rows(lambda: [instance_type(each) for each in kinds])
        for place, regions in contents["INSTANCE_TYPE_OFFERINGS"].items():
            folder = resources / "instance_type_offerings" / place
            regions |= {name: Rows(functools.partial(_offers, folder / f"{name}.json.gz")) for name in regions}


class _Policies(SourceFileLoader):
    """Those that AWS has in every account: moto makes all of them for each partition, of which people use one."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        self.amend(module)

    @staticmethod
    def amend(module: ModuleType) -> None:
        contents = vars(module)
        policy = contents["AWSManagedPolicy"]
        del contents["aws_managed_policies_data"]
        text = functools.partial(_text, f"{module.__package__}.aws_managed_policies")
        text()

        def made(backend: Any) -> list[Any]:
            place = backend.account_id, backend.region_name
            with _drawn_apart("/".join(place)):
                known = msgspec.json.decode(text(), type=dict[str, msgspec.Raw])
                return [policy.from_data(name, *place, decode(said)) for name, said in known.items()]

        begins = {
            "_init_aws_policies": lambda self: Rows(lambda: made(self)),
            "_init_managed_policies": lambda self: Table(
                lambda: {each.arn: each for each in self.aws_managed_policies}
            ),
        }
        for name, begin in begins.items():
            setattr(contents["IAMBackend"], name, begin)


_LOADERS: Final[dict[str, type[_Types] | type[_Policies]]] = {_TYPES: _Types, _POLICIES: _Policies}


def _text(name: str) -> str:
    """What is written in a module of policies, and that module is forgotten: five megabytes."""
    module = import_module(name)
    sys.modules.pop(name)
    return str(module.aws_managed_policies_data)


def _unpacked(file: Path) -> Any:
    return decode(gzip.decompress(file.read_bytes()))


def _offers(file: Path) -> list[JsonObject]:
    return [{**each, "LocationType": file.parent.name} for each in _unpacked(file)]


@contextmanager
def _nothing_read() -> Iterator[None]:
    """Whoever takes moto's own function for files from its module in here gets one that finds nothing in them."""
    from moto.utilities import utils  # noqa: PLC0415 - an extra

    def nothing(resource: str) -> Any:
        del resource
        return {}

    before, utils.load_resource = utils.load_resource, nothing
    try:
        yield
    finally:
        utils.load_resource = before


@contextmanager
def _drawn_apart(value: str) -> Iterator[None]:
    """Ids are drawn as *value* determines, and those of the request that is being answered as if nothing had been drawn."""
    from moto.moto_api._internal import mock_random  # noqa: PLC0415 - an extra

    before = mock_random.getstate(), random.getstate()
    mock_random.seed(value)
    random.seed(value)
    try:
        yield
    finally:
        mock_random.setstate(before[0])
        random.setstate(before[1])
